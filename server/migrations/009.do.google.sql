-- Sign-in with Google.

-- People as an OpenID provider knows them. The pair of issuer and subject is the person; the address is only what the
-- provider said when they were connected.
create table identity (
  issuer      text not null,
  subject     text not null check (char_length(subject) between 1 and 255),
  customer_id uuid not null references customer (id) on delete cascade,
  email       text not null,
  linked_at   timestamptz not null,
  primary key (issuer, subject),
  unique (customer_id, issuer)
);

-- Sign-ins on their way to the provider and back.
create table google_flow (
  id           uuid primary key,
  -- SHA-256 of the browser's flow cookie: only the browser that began can finish.
  browser_hash bytea not null check (octet_length(browser_hash) = 32),
  purpose      text not null check (purpose in ('sign_in', 'link')),
  -- Who connects Google with their account.
  customer_id  uuid references customer (id) on delete cascade,
  state        text not null,
  nonce        text not null,
  verifier     text not null,
  created_at   timestamptz not null,
  expires_at   timestamptz not null,
  -- Set once, by whoever exchanges the code.
  used_at      timestamptz,
  code_hash    bytea check (octet_length(code_hash) = 32),
  -- What was answered, for a page that asks twice: AES-256-GCM under a key made from the cookie and the code, which stand
  -- nowhere here. Null while the exchange runs, and after one that failed.
  answer       bytea,
  failed       boolean not null default false,
  check ((purpose = 'link') = (customer_id is not null))
);

create index google_flow_browser on google_flow (browser_hash, created_at);
create index google_flow_expires on google_flow (expires_at);
