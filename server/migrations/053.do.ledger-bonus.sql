-- Granted credit kept apart from paid credit, holds that grow, withdrawals, and what was taken given back.
--
-- Bonus is the part of an account's credit that was granted (kind bonus). It follows from the entries alone, never from
-- holds: 0 <= bonus <= greatest(balance - debt, 0). A call spends bonus first. A refund, a dispute or a debt takes paid
-- credit first and bonus for the rest: money that goes back is never covered by a debt while a bonus stays. A grant that
-- is taken back goes as far as it is still there; what was spent of it is gone and never owed. What was granted before
-- this migration counts as paid.

alter table account
  add column bonus_micros bigint not null default 0,
  -- Booking times of one account never run backwards, so a time stands for a position.
  add column newest_entry_at timestamptz not null default '-infinity';

update account a set newest_entry_at = coalesce(
  (select max(t.created_at) from ledger_transaction t where t.customer_id = a.customer_id), a.newest_entry_at);

alter table ledger_transaction
  -- The transaction whose taking this one gives back; each at most once.
  add column restores_id uuid references ledger_transaction (id);

create unique index ledger_transaction_restored_once on ledger_transaction (restores_id) where restores_id is not null;
comment on column ledger_transaction.shortfall_micros is
  'Of a reversal: the part that became debt; of a bonus taken back: the part that was spent and is not in the entry.';

create type ledger_kind as enum ('top_up', 'bonus', 'test_credit', 'call', 'refund', 'dispute', 'adjustment', 'withdrawal',
  'write_off', 'call_refund', 'refund_failed', 'dispute_won');
create type ledger_system_account as enum ('revenue', 'payment_clearing', 'promotion', 'test_credit', 'adjustment', 'write_off');

alter table ledger_entry
  -- The customer's entry only: what it moved of the bonus (signed), and the kind of its transaction.
  add column bonus_micros bigint not null default 0,
  add column kind ledger_kind;

-- PostgreSQL reads the text of each check anew for each statement, and looks each reference up for each row: together more
-- than half of the time of a charge. So one check for each of the two tables that change, types in place of lists of
-- words, and no check of what only the functions below write and nothing can change: verification looks after that.
alter table account
  drop constraint account_held_not_negative,
  drop constraint account_not_overdrawn,
  drop constraint account_debt_not_negative,
  drop constraint account_debt_repaid_first;
-- A hold may grow past what was wanted first.
alter table hold
  drop constraint hold_amount,
  drop constraint hold_state,
  drop constraint hold_customer_id_fkey;
-- A hold is found by its id alone; without this it is resolved in place.
drop index hold_pending;

alter table ledger_transaction
  drop constraint ledger_transaction_kind_check,
  drop constraint ledger_transaction_idempotency_key_check,
  drop constraint ledger_transaction_description_check,
  drop constraint ledger_transaction_shortfall_micros_check,
  drop constraint ledger_transaction_customer_id_fkey,
  alter column kind type ledger_kind using kind::ledger_kind;
alter table ledger_entry
  drop constraint ledger_entry_system_account_check,
  drop constraint ledger_entry_amount_micros_check,
  drop constraint ledger_entry_sequence_check,
  drop constraint ledger_entry_one_account,
  drop constraint ledger_entry_customer_position,
  drop constraint ledger_entry_customer_id_fkey,
  drop constraint ledger_entry_transaction_id_fkey,
  alter column system_account type ledger_system_account using system_account::ledger_system_account;

update ledger_entry e set kind = t.kind from ledger_transaction t where t.id = e.transaction_id and e.customer_id is not null;
