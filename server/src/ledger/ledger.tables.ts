import type { ColumnType, Generated } from "kysely";

/** These tables are written only by SQL functions. */
type ReadOnly<T> = ColumnType<T, never, never>;

/** Kysely types of the ledger's tables. */
export interface LedgerTables {
  account: {
    customer_id: ReadOnly<string>;
    balance_micros: ReadOnly<bigint>;
    held_micros: ReadOnly<bigint>;
    debt_micros: ReadOnly<bigint>;
    bonus_micros: ReadOnly<bigint>;
    entry_count: ReadOnly<bigint>;
    newest_entry_at: ReadOnly<Date>;
    created_at: ReadOnly<Date>;
  };
  hold: {
    id: ReadOnly<string>;
    customer_id: ReadOnly<string>;
    /** Who called on the account's credit; null if it was the account's customer. */
    caller_id: ReadOnly<string | null>;
    wanted_micros: ReadOnly<bigint>;
    least_micros: ReadOnly<bigint>;
    amount_micros: ReadOnly<bigint>;
    state: ReadOnly<"pending" | "posted" | "voided">;
    posted_micros: ReadOnly<bigint | null>;
    created_at: ReadOnly<Date>;
    resolved_at: ReadOnly<Date | null>;
  };
  ledger_transaction: {
    id: ReadOnly<string>;
    kind: ReadOnly<LedgerKind>;
    idempotency_key: ReadOnly<string>;
    customer_id: ReadOnly<string>;
    reference_id: ReadOnly<string | null>;
    description: ReadOnly<string>;
    shortfall_micros: ReadOnly<bigint>;
    created_at: ReadOnly<Date>;
    restores_id: ReadOnly<string | null>;
    caller_id: ReadOnly<string | null>;
  };
  ledger_entry: {
    transaction_id: ReadOnly<string>;
    customer_id: ReadOnly<string | null>;
    system_account: ReadOnly<string | null>;
    amount_micros: ReadOnly<bigint>;
    sequence: ReadOnly<bigint | null>;
    balance_after_micros: ReadOnly<bigint | null>;
    bonus_micros: ReadOnly<bigint>;
    kind: ReadOnly<LedgerKind | null>;
  };
  /** One row: the latest check. */
  ledger_check: {
    only_row: ColumnType<boolean, true, never>;
    checked_at: Date;
    deviations: number;
    good_at: Generated<Date | null>;
    booked_to: Date | null;
    whole_at: Date | null;
  };
  /** What the checks have found right about an account: the sums of its entries up to one. */
  ledger_mark: {
    customer_id: ReadOnly<string>;
    sequence: ReadOnly<bigint>;
    net_micros: ReadOnly<bigint>;
    bonus_micros: ReadOnly<bigint>;
  };
}

export type LedgerKind =
  | "top_up"
  | "bonus"
  | "test_credit"
  | "call"
  | "refund"
  | "dispute"
  | "adjustment"
  | "withdrawal"
  | "write_off"
  | "gift"
  | "call_refund"
  | "refund_failed"
  | "dispute_won";
