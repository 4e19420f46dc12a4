-- A person of a family: its owner, whose credit the members may use, or a member. The owner's row names the owner itself, so nobody can be
-- in two families.
create table family_member (
  customer_id uuid primary key references customer (id),
  owner_id uuid not null references family_member (customer_id) on delete cascade,
  joined_at timestamptz not null,
  -- The member's choices: which credit pays for calls, and whether the owner sees the called numbers.
  owner_pays boolean not null default false,
  shows_numbers boolean not null default false,
  -- The owner's limits for the member.
  daily_cap_micros bigint check (daily_cap_micros > 0),
  monthly_cap_micros bigint check (monthly_cap_micros > 0),
  countries text[] check (cardinality(countries) between 1 and 250),
  -- Whose midnight begins the days and months of the limits.
  time_zone text not null default 'UTC' check (char_length(time_zone) between 1 and 64),
  check (owner_id <> customer_id or not (owner_pays or shows_numbers))
);
create index family_member_owner on family_member (owner_id);

-- An open invitation. Its token is derived from the id, so the database holds none.
create table family_invitation (
  customer_id uuid not null references family_member (customer_id) on delete cascade,
  id uuid not null,
  -- Null for a link that the owner passes on.
  email text check (char_length(email) <= 320),
  -- The limits that the member will have.
  daily_cap_micros bigint check (daily_cap_micros > 0),
  monthly_cap_micros bigint check (monthly_cap_micros > 0),
  countries text[] check (cardinality(countries) between 1 and 250),
  time_zone text not null check (char_length(time_zone) between 1 and 64),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (customer_id, id),
  unique (id)
);
create index family_invitation_expiry on family_invitation (expires_at);

-- Whose credit pays; null if it is the caller's own.
alter table call add column payer_id uuid references customer (id);
create index call_payer on call (payer_id, created_at) where payer_id is not null;

-- Who called on the account's credit; null if it was the account's customer.
alter table hold add column caller_id uuid;
alter table ledger_transaction add column caller_id uuid;
