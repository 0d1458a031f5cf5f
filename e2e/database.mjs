/**
 * Fills the database of a stopped server with copies of recorded data; creating it through the engine would
 * take minutes. Uses Python's SQLite, because Node's is not available in all supported versions.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const RUN = `
import sqlite3, sys
database = sqlite3.connect(sys.argv[1])
database.executescript(sys.stdin.read())
database.close()
`;

async function runSql(database, sql) {
  const child = spawn('python3', ['-c', RUN, database], { stdio: ['pipe', 'inherit', 'inherit'] });
  child.stdin.end(`begin;\n${sql};\ncommit;\n`);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the SQL script failed with status ${code}`);
}

const numbers = (count) => `with recursive numbers (n) as (
  select 1 union all select n + 1 from numbers where n < ${count}
)`;

/** Adds `count` copies of the only session, a minute apart, with different types and statuses. */
export const copySessions = (database, count) =>
  runSql(
    database,
    `
create temp table more as ${numbers(count)} select sessions.*, n from sessions, numbers;
update more set
  session_number = session_number + n,
  session_id = randomblob(16),
  alert_id = 'alert-' || n,
  alert_type = case n % 4 when 0 then 'HighErrorRate' when 1 then 'DiskFull' else alert_type end,
  status = case n % 9 when 0 then 'failed' when 1 then 'cancelled' else status end,
  author = case n % 3 when 0 then 'alertmanager' else 'ann' end,
  input_tokens = input_tokens * (1 + n % 50),
  created_at_us = created_at_us - n * 60000000,
  started_at_us = started_at_us - n * 60000000,
  completed_at_us = completed_at_us - n * 60000000 + n % 600 * 1000000;
create temp table inputs as
  select session_inputs.*, more.session_id as copy from session_inputs, more;
update inputs set session_id = copy;
alter table inputs drop column copy;
alter table more drop column n;
insert into sessions select * from more;
insert into session_inputs select * from inputs`,
  );

/** Repeats the entries of the only session until its timeline has `count` entries. */
export const extendTimeline = (database, count) =>
  runSql(
    database,
    `
create temp table more as ${numbers(count)}
  select timeline_events.*, n from timeline_events, numbers
  where event_type in ('llm_thinking', 'llm_response', 'tool_call', 'tool_result')
  order by n, position
  limit ${count} - (select count(*) from timeline_events);
update more set
  position = (select count(*) from timeline_events) + rowid,
  timeline_event_id = randomblob(16),
  content = case event_type when 'tool_call' then content else content || ' (' || n || ')' end,
  metadata = case
    when metadata ->> 'tool_call_id' is null then metadata
    else json_set(metadata, '$.tool_call_id', 'call_' || n)
  end;
alter table more drop column n;
insert into timeline_events select * from more;
update sessions set timeline_events = (select count(*) from timeline_events)`,
  );

/** Moves all sessions but the newest into the past, hours apart, with durations of minutes. */
export const ageSessions = (database) =>
  runSql(
    database,
    `
create temp table past as
  select session_id, row_number() over (order by session_number desc) - 1 as n from sessions;
update sessions set
  created_at_us = created_at_us - n * (3000000000 + n % 5 * 1700000000),
  started_at_us = started_at_us - n * (3000000000 + n % 5 * 1700000000),
  completed_at_us = started_at_us - n * (3000000000 + n % 5 * 1700000000) + (47 + n * 29 % 210) * 1000000
from past
where past.session_id = sessions.session_id and n > 0`,
  );
