-- Lists in another order than that of creation, and the Slack message that an alert comes from.

-- Other sort keys have an index since the first migration.
create index sessions_by_duration on sessions ((completed_at_us - started_at_us), created_at_us, session_number);

alter table session_inputs add column slack_message_fingerprint text;
