-- Which session looks into an alert that fires, so that repeated notifications start no second one.

create table firings (
  -- A digest of what the sender calls the group.
  group_key text not null,
  -- What the sender calls the alert.
  fingerprint text not null,
  -- Null only until the transaction that makes the row knows it.
  session_id blob references sessions (session_id) on delete cascade,
  -- By the sender's clock.
  began_at_us integer not null,
  ended_at_us integer,
  primary key (group_key, fingerprint)
) strict;

create index firings_by_session on firings (session_id);
