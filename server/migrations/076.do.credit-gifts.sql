-- Credit that one customer buys for another. The payment is the payer's; when it arrives, its credit moves to the beneficiary in two
-- balanced transactions that meet in the system account 'gift', whose sum is always zero.
alter type ledger_kind add value 'gift';
alter type ledger_system_account add value 'gift';

-- A link by which a customer asks others for credit. Its token is derived from the id (`linkToken`), so only the id is stored.
create table credit_request (
  id uuid not null unique,
  customer_id uuid not null references customer (id),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (customer_id, id)
);

create index credit_request_end on credit_request (expires_at);

create table credit_gift (
  id uuid primary key,
  payment_id uuid not null unique references payment (id),
  payer_id uuid not null references customer (id),
  beneficiary_id uuid not null references customer (id) check (beneficiary_id <> payer_id),
  amount_micros bigint not null check (amount_micros > 0),
  -- From the payer; '' for none.
  greeting text not null check (char_length(greeting) <= 200),
  -- 'kept': the payment arrived, but the credit stayed with the payer.
  state text not null check (state in ('ordered', 'given', 'kept')),
  created_at timestamptz not null,
  decided_at timestamptz check ((decided_at is null) = (state = 'ordered'))
);
create index credit_gift_sent on credit_gift (payer_id, created_at);
create index credit_gift_received on credit_gift (beneficiary_id, created_at);
