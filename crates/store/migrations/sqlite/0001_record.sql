-- The record of every investigation. Ids are 16-byte UUIDs, times are microseconds since the epoch, JSON is
-- kept as the text it came as.

-- The hot row of a session: what the queue and the list need. What came in and never changes is in
-- session_inputs, so that a step that adds to a total does not rewrite a megabyte of alert.
create table sessions (
  -- Order of arrival; the full-text index calls sessions by it.
  session_number integer primary key,
  session_id blob not null unique,
  alert_id text not null unique,
  alert_type text not null,
  chain_id text not null,
  author text,
  status text not null,
  created_at_us integer not null,
  started_at_us integer,
  completed_at_us integer,
  -- When a worker may claim it: at creation, when its lease runs out, or never again (null) once it ended.
  claimable_at_us integer,
  worker text,
  -- Grows with every claim, release and end; a write that carries an older number is refused.
  fence integer not null default 0,
  cancel_requested_at_us integer,
  cancel_requested_by text,
  stages_total integer not null,
  stages_done integer not null default 0,
  stages_failed integer not null default 0,
  llm_interactions integer not null default 0,
  mcp_interactions integer not null default 0,
  timeline_events integer not null default 0,
  -- The newest event of the session's own channel.
  last_event_id integer not null default 0,
  input_tokens integer not null default 0,
  output_tokens integer not null default 0,
  thinking_tokens integer not null default 0,
  cached_tokens integer not null default 0,
  current_step text,
  error_message text,
  executive_summary text,
  final_analysis text
) strict;

create index sessions_by_time on sessions (created_at_us, session_number);
create index sessions_by_status on sessions (status, created_at_us, session_number);
create index sessions_by_alert_type on sessions (alert_type, created_at_us, session_number);
create index sessions_by_chain on sessions (chain_id, created_at_us, session_number);
create index sessions_by_author on sessions (author, created_at_us, session_number);
create index sessions_by_end on sessions (completed_at_us);
-- Interrupted sessions come before those that never began.
create index sessions_claimable on sessions ((status = 'pending'), claimable_at_us)
  where claimable_at_us is not null;

create table session_inputs (
  session_id blob not null primary key references sessions (session_id) on delete cascade,
  alert_data text not null,
  runbook text,
  mcp_selection text,
  chain_snapshot text not null
) strict;

create table stages (
  stage_id blob not null primary key,
  session_id blob not null references sessions (session_id) on delete cascade,
  stage_index integer not null,
  name text not null,
  status text not null,
  started_at_us integer,
  completed_at_us integer,
  error_message text,
  routing_reason text,
  analysis text,
  unique (session_id, stage_index)
) strict;

create table agent_executions (
  execution_id blob not null primary key,
  session_id blob not null references sessions (session_id) on delete cascade,
  stage_id blob references stages on delete cascade,
  kind text not null,
  agent_index integer not null,
  agent_name text not null,
  iteration_strategy text not null,
  llm_provider text not null,
  status text not null,
  started_at_us integer not null,
  completed_at_us integer,
  llm_interactions integer not null default 0,
  mcp_interactions integer not null default 0,
  input_tokens integer not null default 0,
  output_tokens integer not null default 0,
  thinking_tokens integer not null default 0,
  cached_tokens integer not null default 0,
  last_message_sequence integer not null default 0,
  last_timeline_sequence integer not null default 0,
  error_message text,
  final_analysis text
) strict;

create index agent_executions_by_session on agent_executions (session_id);
create index agent_executions_by_stage on agent_executions (stage_id);

create table timeline_events (
  timeline_event_id blob not null,
  session_id blob not null references sessions (session_id) on delete cascade,
  stage_id blob,
  execution_id blob,
  -- Order within the session, gapless from 1.
  position integer not null,
  -- Order within the execution, gapless from 1; null for entries of the session itself.
  sequence integer,
  event_type text not null,
  created_at_us integer not null,
  completed_at_us integer not null,
  metadata text not null,
  content text not null,
  unique (session_id, position)
) strict;

create table messages (
  message_id blob not null,
  execution_id blob not null references agent_executions on delete cascade,
  sequence integer not null,
  role text not null,
  tool_call_id text,
  tool_name text,
  created_at_us integer not null,
  tool_calls text,
  provider_state text,
  content text not null,
  unique (execution_id, sequence)
) strict;

create table llm_interactions (
  interaction_id blob not null,
  session_id blob not null references sessions (session_id) on delete cascade,
  execution_id blob not null,
  kind text not null,
  iteration integer not null,
  provider text not null,
  model text not null,
  started_at_us integer not null,
  duration_ms integer not null,
  input_tokens integer not null,
  output_tokens integer not null,
  thinking_tokens integer not null,
  cached_tokens integer not null,
  error_kind text,
  error_message text,
  request text not null,
  response text,
  unique (session_id, interaction_id)
) strict;

create table mcp_interactions (
  interaction_id blob not null,
  session_id blob not null references sessions (session_id) on delete cascade,
  execution_id blob not null,
  kind text not null,
  server text not null,
  tool text,
  tool_call_id text,
  started_at_us integer not null,
  duration_ms integer not null,
  error_message text,
  arguments text,
  result text,
  unique (session_id, interaction_id)
) strict;

-- The log from which watchers catch up. Ids are gapless within a channel. A session's counter is on its row;
-- this is the counter of the channel of all sessions.
create table event_channels (
  channel text not null primary key,
  last_event_id integer not null
) strict, without rowid;

create table events (
  channel text not null,
  event_id integer not null,
  event_type text not null,
  created_at_us integer not null,
  payload text not null,
  primary key (channel, event_id)
) strict, without rowid;

create index events_by_time on events (created_at_us);

create table chats (
  chat_id blob not null primary key,
  session_id blob not null unique references sessions (session_id) on delete cascade,
  created_at_us integer not null
) strict;

create table chat_messages (
  chat_message_id blob not null primary key,
  chat_id blob not null references chats on delete cascade,
  session_id blob not null references sessions (session_id) on delete cascade,
  execution_id blob references agent_executions on delete cascade,
  sequence integer not null,
  -- The person who asked; null for the agent's answer.
  author text,
  created_at_us integer not null,
  content text not null,
  unique (chat_id, sequence)
) strict;

create index chat_messages_by_session on chat_messages (session_id);
create index chat_messages_by_execution on chat_messages (execution_id);

-- The full-text index. A row is one text of a session: its number is the session's number times 2^20, plus 0 for the
-- alert, the position of a timeline entry, or 2^20 - 1 for the analysis. So the order of rows is the order of
-- sessions. Words are split before they come here; neither the text nor positions are kept.
create virtual table search_index using fts5 (
  words,
  content = '',
  contentless_delete = 1,
  detail = none,
  tokenize = 'ascii'
);

-- The words that the index knows.
create virtual table search_index_words using fts5vocab (search_index, row);
