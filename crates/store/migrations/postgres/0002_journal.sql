-- What it takes to go on with a session that was interrupted at any point.

-- Claims in a row after which no step was recorded: a session that takes its process down each time is given up.
alter table sessions add column crashes bigint not null default 0;
-- Time during which nobody worked on it, because its worker was gone; it does not count towards its timeout.
alter table sessions add column interrupted_us bigint not null default 0;

-- The runbook as it was fetched, once.
alter table session_inputs add column runbook_text text;

-- What the run began with, as JSON text; with it and the steps the run can be built again.
alter table agent_executions add column setup text;
-- Recorded steps.
alter table agent_executions add column steps bigint not null default 0;
-- Tool calls that were begun and may have had an effect, as JSON text.
alter table agent_executions add column started_calls text;

-- Order within the execution, from 1.
alter table llm_interactions add column step bigint not null default 0;
alter table mcp_interactions add column step bigint not null default 0;
-- What the agent was told, as JSON text; null until that is known.
alter table mcp_interactions add column told text;

create index llm_interactions_by_execution on llm_interactions (execution_id, step);
create index mcp_interactions_by_execution on mcp_interactions (execution_id, step);

-- Digests of the secrets that were masked, so that the same one gets the same placeholder in all of a session.
create table masked_values (
  session_id uuid not null primary key references sessions (session_id) on delete cascade,
  record text not null
);
