-- The ledger: double entry in micro-dollars. Only the functions of server/src/ledger/sql write these tables.

create table account (
  customer_id    uuid primary key references customer (id),
  -- Credit the customer has, holds included. What is left for a new call is balance - held.
  balance_micros bigint not null default 0,
  -- Set aside for running calls: the sum of the pending holds.
  held_micros    bigint not null default 0,
  -- Owed after a refund or dispute of credit that was spent already. Repaid by whatever becomes available first.
  debt_micros    bigint not null default 0,
  -- Number of this account's ledger entries, and the sequence of the newest one.
  entry_count    bigint not null default 0,
  created_at     timestamptz not null default clock_timestamp(),
  constraint account_held_not_negative check (held_micros >= 0),
  constraint account_not_overdrawn check (balance_micros >= held_micros),
  constraint account_debt_not_negative check (debt_micros >= 0),
  constraint account_debt_repaid_first check (debt_micros = 0 or balance_micros = held_micros)
) with (fillfactor = 70);

-- Credit set aside for one call. Its id is the call's id.
create table hold (
  id            uuid primary key,
  customer_id   uuid not null references account (customer_id),
  wanted_micros bigint not null,
  least_micros  bigint not null,
  amount_micros bigint not null,
  state         text not null default 'pending',
  -- What the call cost in the end; the rest of the hold was released.
  posted_micros bigint,
  created_at    timestamptz not null default clock_timestamp(),
  resolved_at   timestamptz,
  constraint hold_amount check (least_micros > 0 and amount_micros between least_micros and wanted_micros),
  constraint hold_state check (
    (state = 'pending' and posted_micros is null and resolved_at is null)
    or (state = 'posted' and posted_micros between 0 and amount_micros and resolved_at is not null)
    or (state = 'voided' and posted_micros is null and resolved_at is not null)
  )
) with (fillfactor = 70);

create index hold_pending on hold (customer_id) where state = 'pending';

create table ledger_transaction (
  id               uuid primary key,
  kind             text not null check (kind in ('top_up', 'bonus', 'test_credit', 'call', 'refund', 'dispute', 'adjustment')),
  -- One business event, one key: a second try finds the first one's transaction.
  idempotency_key  text not null constraint ledger_transaction_key unique check (char_length(idempotency_key) between 1 and 200),
  customer_id      uuid not null references account (customer_id),
  -- The call or payment behind it.
  reference_id     uuid,
  description      text not null check (char_length(description) between 1 and 300),
  -- The part of a reversal that the balance could not cover and that became debt.
  shortfall_micros bigint not null default 0 check (shortfall_micros >= 0),
  created_at       timestamptz not null
);

-- Two per transaction: the customer's, and the opposite one of an account of the service. Accounts of the service have
-- entries alone and no balance row, which every charge would have to queue for.
create table ledger_entry (
  transaction_id       uuid not null references ledger_transaction (id),
  customer_id          uuid references account (customer_id),
  system_account       text check (system_account in ('revenue', 'payment_clearing', 'promotion', 'test_credit', 'adjustment')),
  amount_micros        bigint not null check (amount_micros <> 0),
  -- Position in the customer's account, 1 for the first entry, without gaps.
  sequence             bigint check (sequence > 0),
  -- Balance less debt after this entry: the running sum of the customer's entries.
  balance_after_micros bigint,
  constraint ledger_entry_one_account check (num_nonnulls(customer_id, system_account) = 1),
  constraint ledger_entry_customer_position check (
    (customer_id is null) = (sequence is null) and (customer_id is null) = (balance_after_micros is null)
  )
);

create unique index ledger_entry_customer_sequence on ledger_entry (customer_id, sequence) where customer_id is not null;
create index ledger_entry_transaction on ledger_entry (transaction_id);
