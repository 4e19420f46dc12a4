-- Operators are people with a sign-in of their own. Records and approvals name them by id, so that the database, not the code,
-- refuses an approval by its own proposer.
create table operator (
  id uuid primary key,
  email text not null check (char_length(email) between 3 and 254),
  name text not null check (char_length(name) between 1 and 120),
  role text not null check (role in ('support', 'finance', 'admin')),
  created_at timestamptz not null,
  removed_at timestamptz
);
create unique index operator_email on operator (lower(email)) where removed_at is null;

-- A one-time link with which an operator sets up their sign-in. It also carries the secret of an authenticator that awaits its first code.
create table operator_invitation (
  operator_id uuid primary key references operator,
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  expires_at timestamptz not null,
  secret bytea,
  secret_key text,
  constraint operator_invitation_secret check ((secret is null) = (secret_key is null))
);

-- A password is never enough alone: it has an authenticator beside it.
create table operator_password (
  operator_id uuid primary key references operator,
  password_hash text not null,
  password_key text,
  secret bytea not null,
  secret_key text not null,
  last_step bigint not null,
  created_at timestamptz not null
);

create table operator_passkey (
  id uuid primary key,
  operator_id uuid not null references operator,
  credential_id bytea not null unique check (octet_length(credential_id) between 1 and 1023),
  public_key bytea not null,
  sign_count bigint not null check (sign_count >= 0),
  transports text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index operator_passkey_operator on operator_passkey (operator_id);

create table operator_passkey_challenge (
  challenge_hash bytea primary key check (octet_length(challenge_hash) = 32),
  operator_id uuid references operator,
  expires_at timestamptz not null
);

create table operator_session (
  id uuid primary key,
  operator_id uuid not null references operator,
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  kind text not null check (kind in ('console', 'command_line')),
  device text not null check (char_length(device) between 1 and 120),
  network text not null check (char_length(network) <= 60),
  created_at timestamptz not null,
  proved_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null
);
create index operator_session_operator on operator_session (operator_id);
create index operator_session_expires on operator_session (expires_at);

-- A command line that waits for its operator to confirm its code in the console.
create table operator_command_line (
  code_hash bytea primary key check (octet_length(code_hash) = 32),
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  device text not null check (char_length(device) between 1 and 120),
  expires_at timestamptz not null
);

-- Names typed before there was a sign-in become operators who cannot sign in.
insert into operator (id, email, name, role, created_at, removed_at)
select gen_random_uuid(), key || '@sign-in.invalid', min(name), 'support', now(), now()
from (
  select left(lower(trim(name)), 200) as key, name
  from (select operator as name from operation union select proposed_by from approval
        union select decided_by from approval where decided_by is not null) as typed
) as known
group by key;

drop trigger if exists operation_unchanged on operation;
drop trigger if exists operation_append_only on operation;
alter table operation add column operator_id uuid references operator;
update operation set operator_id = (select id from operator where email = left(lower(trim(operation.operator)), 200) || '@sign-in.invalid');
alter table operation alter column operator_id set not null;
create index operation_operator on operation (operator_id, happened_at desc, id desc);
drop index operation_happened;
create index operation_happened on operation (happened_at desc, id desc);

alter table approval add column proposer uuid references operator, add column decider uuid references operator;
update approval set
  proposer = (select id from operator where email = left(lower(trim(proposed_by)), 200) || '@sign-in.invalid'),
  decider = (select id from operator where email = left(lower(trim(decided_by)), 200) || '@sign-in.invalid');
alter table approval drop column proposed_by, drop column decided_by;
alter table approval rename column proposer to proposed_by;
alter table approval rename column decider to decided_by;
alter table approval alter column proposed_by set not null;
alter table approval
  add constraint approval_by_another check (state <> 'confirmed' or decided_by <> proposed_by),
  add constraint approval_decided check ((state = 'open') = (decided_by is null) and (state = 'open') = (decided_at is null));
