-- The record of every investigation. Ids are UUIDs, times are microseconds since the epoch, JSON is
-- kept as the text it came as.

-- The hot row of a session: what the queue and the list need. What came in and never changes is in
-- session_inputs, so that a step that adds to a total does not rewrite a megabyte of alert.
create table sessions (
  -- Order of arrival; the full-text index calls sessions by it.
  session_number bigint generated always as identity primary key,
  session_id uuid not null unique,
  alert_id text not null unique,
  alert_type text not null,
  chain_id text not null,
  author text,
  status text not null,
  created_at_us bigint not null,
  started_at_us bigint,
  completed_at_us bigint,
  -- When a worker may claim it: at creation, when its lease runs out, or never again (null) once it ended.
  claimable_at_us bigint,
  worker text,
  -- Grows with every claim, release and end; a write that carries an older number is refused.
  fence bigint not null default 0,
  cancel_requested_at_us bigint,
  cancel_requested_by text,
  stages_total bigint not null,
  stages_done bigint not null default 0,
  stages_failed bigint not null default 0,
  llm_interactions bigint not null default 0,
  mcp_interactions bigint not null default 0,
  timeline_events bigint not null default 0,
  -- The newest event of the session's own channel.
  last_event_id bigint not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  thinking_tokens bigint not null default 0,
  cached_tokens bigint not null default 0,
  current_step text,
  error_message text,
  executive_summary text,
  final_analysis text
);

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
  session_id uuid not null primary key references sessions (session_id) on delete cascade,
  alert_data text not null,
  runbook text,
  mcp_selection text,
  chain_snapshot text not null
);

create table stages (
  stage_id uuid not null primary key,
  session_id uuid not null references sessions (session_id) on delete cascade,
  stage_index bigint not null,
  name text not null,
  status text not null,
  started_at_us bigint,
  completed_at_us bigint,
  error_message text,
  routing_reason text,
  analysis text,
  unique (session_id, stage_index)
);

create table agent_executions (
  execution_id uuid not null primary key,
  session_id uuid not null references sessions (session_id) on delete cascade,
  stage_id uuid references stages on delete cascade,
  kind text not null,
  agent_index bigint not null,
  agent_name text not null,
  iteration_strategy text not null,
  llm_provider text not null,
  status text not null,
  started_at_us bigint not null,
  completed_at_us bigint,
  llm_interactions bigint not null default 0,
  mcp_interactions bigint not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  thinking_tokens bigint not null default 0,
  cached_tokens bigint not null default 0,
  last_message_sequence bigint not null default 0,
  last_timeline_sequence bigint not null default 0,
  error_message text,
  final_analysis text
);

create index agent_executions_by_session on agent_executions (session_id);
create index agent_executions_by_stage on agent_executions (stage_id);

create table timeline_events (
  timeline_event_id uuid not null,
  session_id uuid not null references sessions (session_id) on delete cascade,
  stage_id uuid,
  execution_id uuid,
  -- Order within the session, gapless from 1.
  position bigint not null,
  -- Order within the execution, gapless from 1; null for entries of the session itself.
  sequence bigint,
  event_type text not null,
  created_at_us bigint not null,
  completed_at_us bigint not null,
  metadata text not null,
  content text not null,
  unique (session_id, position)
);

create table messages (
  message_id uuid not null,
  execution_id uuid not null references agent_executions on delete cascade,
  sequence bigint not null,
  role text not null,
  tool_call_id text,
  tool_name text,
  created_at_us bigint not null,
  tool_calls text,
  provider_state text,
  content text not null,
  unique (execution_id, sequence)
);

create table llm_interactions (
  interaction_id uuid not null,
  session_id uuid not null references sessions (session_id) on delete cascade,
  execution_id uuid not null,
  kind text not null,
  iteration bigint not null,
  provider text not null,
  model text not null,
  started_at_us bigint not null,
  duration_ms bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  thinking_tokens bigint not null,
  cached_tokens bigint not null,
  error_kind text,
  error_message text,
  request text not null,
  response text,
  unique (session_id, interaction_id)
);

create table mcp_interactions (
  interaction_id uuid not null,
  session_id uuid not null references sessions (session_id) on delete cascade,
  execution_id uuid not null,
  kind text not null,
  server text not null,
  tool text,
  tool_call_id text,
  started_at_us bigint not null,
  duration_ms bigint not null,
  error_message text,
  arguments text,
  result text,
  unique (session_id, interaction_id)
);

-- The log from which watchers catch up. Ids are gapless within a channel. A session's counter is on its row;
-- this is the counter of the channel of all sessions.
create table event_channels (
  channel text not null primary key,
  last_event_id bigint not null
);

create table events (
  channel text not null,
  event_id bigint not null,
  event_type text not null,
  created_at_us bigint not null,
  payload text not null,
  primary key (channel, event_id)
);

create index events_by_time on events (created_at_us);

create table chats (
  chat_id uuid not null primary key,
  session_id uuid not null unique references sessions (session_id) on delete cascade,
  created_at_us bigint not null
);

create table chat_messages (
  chat_message_id uuid not null primary key,
  chat_id uuid not null references chats on delete cascade,
  session_id uuid not null references sessions (session_id) on delete cascade,
  execution_id uuid references agent_executions on delete cascade,
  sequence bigint not null,
  -- The person who asked; null for the agent's answer.
  author text,
  created_at_us bigint not null,
  content text not null,
  unique (chat_id, sequence)
);

create index chat_messages_by_session on chat_messages (session_id);
create index chat_messages_by_execution on chat_messages (execution_id);

-- The full-text index. A row is one text of a session: its number is the session's number times 2^20, plus 0 for the
-- alert, the position of a timeline entry, or 2^20 - 1 for the analysis. So the order of rows is the order of
-- sessions. Words are split before they come here; positions are not kept.
create table search_index (
  piece_id bigint not null primary key,
  words tsvector not null
);

create index search_index_by_words on search_index using gin (words);
