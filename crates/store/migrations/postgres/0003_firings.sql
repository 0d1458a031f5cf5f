-- Which session looks into an alert that fires, so that repeated notifications start no second one.

create table firings (
  -- A digest of what the sender calls the group.
  group_key text not null,
  -- What the sender calls the alert.
  fingerprint text not null,
  -- Null only until the transaction that makes the row knows it.
  session_id uuid references sessions (session_id) on delete cascade,
  -- By the sender's clock.
  began_at_us bigint not null,
  ended_at_us bigint,
  primary key (group_key, fingerprint)
);

create index firings_by_session on firings (session_id);
