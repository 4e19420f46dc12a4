-- The ledger: double entry in micro-dollars. Only the functions in server/src/ledger/sql write these tables, so checks and
-- references that each charge would pay for are left out: server/src/ledger/verify-ledger.ts finds what they would refuse.

create type ledger_kind as enum ('top_up', 'bonus', 'test_credit', 'call', 'refund', 'dispute', 'adjustment', 'withdrawal',
  'write_off', 'call_refund', 'refund_failed', 'dispute_won');
create type ledger_system_account as enum ('revenue', 'payment_clearing', 'promotion', 'test_credit', 'adjustment', 'write_off');

-- Check: account_is_sound.
create table account (
  customer_id     uuid primary key references customer (id),
  -- The customer's credit, holds included. balance - held is free for a new call.
  balance_micros  bigint not null default 0,
  -- The sum of the pending holds.
  held_micros     bigint not null default 0,
  -- Owed after a refund or dispute of credit that was spent already. Repaid first by whatever becomes available.
  debt_micros     bigint not null default 0,
  -- The granted part of the credit, between 0 and balance - debt. It follows from the entries alone, never from holds. A call
  -- spends bonus first; refunds, disputes and debts take paid credit first. What was spent of a grant is never owed.
  bonus_micros    bigint not null default 0,
  -- Number of this account's entries, and the sequence of the newest one.
  entry_count     bigint not null default 0,
  -- Booking times of one account never run backwards, so a time stands for a position.
  newest_entry_at timestamptz not null default '-infinity',
  created_at      timestamptz not null default clock_timestamp()
) with (fillfactor = 70);

-- Credit set aside for one call, whose id it has. Found by its id alone: without other indexes it is updated in place.
-- Check: hold_is_sound.
create table hold (
  id            uuid primary key,
  customer_id   uuid not null,
  -- Of the first request; a running call's hold may grow beyond it.
  wanted_micros bigint not null,
  least_micros  bigint not null,
  amount_micros bigint not null,
  state         text not null default 'pending',
  -- What the call cost; the rest of the hold was released.
  posted_micros bigint,
  created_at    timestamptz not null default clock_timestamp(),
  resolved_at   timestamptz
) with (fillfactor = 70);

create table ledger_transaction (
  id               uuid primary key,
  kind             ledger_kind not null,
  -- One business event, one key: a repetition finds the first one's transaction.
  idempotency_key  text not null constraint ledger_transaction_key unique,
  customer_id      uuid not null,
  -- The call or payment behind it.
  reference_id     uuid,
  -- The transaction that this one restores; each at most once.
  restores_id      uuid references ledger_transaction (id),
  description      text not null,
  -- Of a reversal: the part that became debt. Of a returned bonus: the part that was spent and is not in the entry.
  shortfall_micros bigint not null default 0,
  created_at       timestamptz not null
);

create unique index ledger_transaction_restored_once on ledger_transaction (restores_id) where restores_id is not null;

-- Two per transaction: the customer's, and the opposite one of a system account. System accounts have entries alone and no
-- balance row, for which every charge would have to queue.
create table ledger_entry (
  transaction_id       uuid not null,
  customer_id          uuid,
  system_account       ledger_system_account,
  amount_micros        bigint not null,
  -- The remaining columns are those of the customer's entry only.
  kind                 ledger_kind,
  -- Position in the customer's account, 1 for the first entry, without gaps.
  sequence             bigint,
  -- Balance less debt after this entry: the running sum of the customer's entries.
  balance_after_micros bigint,
  -- The signed part that is bonus.
  bonus_micros         bigint not null default 0
);

create unique index ledger_entry_customer_sequence on ledger_entry (customer_id, sequence) where customer_id is not null;
create index ledger_entry_transaction on ledger_entry (transaction_id);
-- Top-ups, refunds and grants are few among the calls: a page of one kind skips the rest.
create index ledger_entry_by_kind on ledger_entry (customer_id, kind, sequence) where kind <> 'call';
