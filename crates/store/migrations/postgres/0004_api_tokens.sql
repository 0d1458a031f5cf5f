-- What programs show to be let in.

create table api_tokens (
  -- Who it was made for.
  name text not null primary key,
  -- SHA-256 of the token in hexadecimal digits; the token itself is kept nowhere.
  digest text not null unique,
  role text not null,
  created_at_us bigint not null,
  -- To about a minute.
  last_used_at_us bigint,
  -- From then on it opens nothing.
  revoked_at_us bigint
);
