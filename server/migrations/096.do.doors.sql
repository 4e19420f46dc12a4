-- The browsers in which an operator has signed in: wrong passwords of strangers do not count there.
create table operator_browser (
  operator_id uuid not null references operator (id) on delete cascade,
  browser_hash bytea not null check (octet_length(browser_hash) = 32),
  last_used_at timestamptz not null,
  primary key (operator_id, browser_hash)
);

-- Requests of a browser that a customer has used are counted apart from their network.
create index if not exists known_browser_hash on known_browser (browser_hash);

-- Where the request came from, if it was a browser with our cookie.
alter table password_reset_request add column browser_hash bytea;
