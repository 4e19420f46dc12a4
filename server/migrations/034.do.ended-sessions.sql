-- Why a session ended, for whoever still holds its token: the sign-in page says it.

create table ended_session (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  customer_id uuid not null references customer (id) on delete cascade,
  reason text not null
    check (reason in ('expired', 'signed_out', 'password_changed', 'account_closed', 'other_browser', 'too_many_devices')),
  ended_at timestamptz not null
);
create index ended_session_customer on ended_session (customer_id);
create index ended_session_ended_at on ended_session (ended_at);
