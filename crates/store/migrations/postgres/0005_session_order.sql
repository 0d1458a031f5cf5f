-- Lists in another order than that of creation, and the Slack message that an alert comes from.

-- Texts are sorted by their bytes, as SQLite sorts them. Rows without a value come first.
create index sessions_sorted_by_status on sessions (status collate "C", created_at_us, session_number);
create index sessions_sorted_by_alert_type on sessions (alert_type collate "C", created_at_us, session_number);
create index sessions_sorted_by_author on sessions
  (author collate "C" nulls first, created_at_us, session_number);
create index sessions_by_duration on sessions
  ((completed_at_us - started_at_us) nulls first, created_at_us, session_number);

alter table session_inputs add column slack_message_fingerprint text;
