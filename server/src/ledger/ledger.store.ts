import { CompiledQuery } from "kysely";
import { DatabaseError, Pool } from "pg";
import type { Transaction, Tx } from "../platform/database/database.ts";
import { toLedgerError } from "./ledger-error.ts";
import type { LedgerKind } from "./ledger.tables.ts";

/** A running transaction, or the pool for a single prepared statement that commits on its own. */
export type LedgerTx = Tx | Pool;

interface Statement {
  /** The prepared statement's name. */
  readonly name: string;
  readonly text: string;
}

const openAccount = { name: "ledger_open_account", text: "select open_account($1)" };
const holdCredit = { name: "ledger_hold_credit", text: "select hold_credit($1, $2, $3, $4) as held" };
const postHold = { name: "ledger_post_hold", text: "select post_hold($1, $2, $3, $4) as charged" };
const voidHold = { name: "ledger_void_hold", text: "select void_hold($1) as voided" };
const holdEach = {
  name: "ledger_hold_each",
  text: `select hold_credit(id, customer_id, micros, micros)
    from unnest($1::uuid[], $2::uuid[], $3::bigint[]) h (id, customer_id, micros)`,
};
const resolveEach = {
  name: "ledger_resolve_each",
  text: `select case when micros > 0 then post_hold(transaction_id, id, micros, description) is not null else void_hold(id) end
    from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::text[]) h (transaction_id, id, micros, description)`,
};
const postCredit = { name: "ledger_post_credit", text: "select post_credit($1, $2, $3, $4, $5, $6, $7) as applied" };
const postReversal = {
  name: "ledger_post_reversal",
  text: "select applied, shortfall_micros from post_reversal($1, $2, $3, $4, $5, $6, $7)",
};
const returnBonus = {
  name: "ledger_return_bonus",
  text: "select applied, shortfall_micros from return_bonus($1, $2, $3, $4, $5, $6)",
};
/** Locks in a fixed order, so that transactions locking several accounts cannot deadlock. */
const lockAccounts = {
  name: "ledger_lock_accounts",
  text: "select customer_id from account where customer_id = any($1) order by customer_id for no key update",
};
const extendHold = { name: "ledger_extend_hold", text: "select extend_hold($1, $2) as held" };
const withdrawCredit = { name: "ledger_withdraw_credit", text: "select withdraw_credit($1, $2, $3, $4, $5, $6) as applied" };
const forfeitCredit = { name: "ledger_forfeit_credit", text: "select forfeit_credit($1, $2, $3, $4) as taken" };
const restore = { name: "ledger_restore", text: "select restore_transaction($1, $2, $3, $4) as applied" };
const readAccount = {
  name: "ledger_read_account",
  text: "select balance_micros, held_micros, debt_micros, bonus_micros, entry_count from account where customer_id = $1",
};
/** A line's columns; `e` is the customer's entry, `t` its transaction. */
const LINE = `e.sequence, e.amount_micros, e.bonus_micros, e.balance_after_micros, e.kind, t.id, t.description,
    t.reference_id, t.created_at`;
const WITHIN = "e.customer_id = $1 and e.sequence > $2 and e.sequence <= $3";

function readLines(name: string, condition: string): Statement {
  const text = `select ${LINE} from ledger_entry e join ledger_transaction t on t.id = e.transaction_id
    where ${WITHIN}${condition} order by e.sequence desc limit $4`;
  return { name: `ledger_read_${name}`, text };
}

const readAllLines = readLines("all_lines", "");
const readCallLines = readLines("call_lines", " and e.kind in ('call', 'call_refund')");
/**
 * The newest lines of each kind, merged. The condition `kind <> 'call'` selects the partial index without calls, so that no
 * rows of other kinds are read.
 */
const readOtherLines = {
  name: "ledger_read_other_lines",
  text: `select ${LINE} from (
      select n.sequence from unnest($5::ledger_kind[]) k cross join lateral (
        select e.sequence from ledger_entry e where ${WITHIN} and e.kind <> 'call' and e.kind = k
          order by e.sequence desc limit $4
      ) n order by n.sequence desc limit $4
    ) newest join ledger_entry e on e.customer_id = $1 and e.sequence = newest.sequence
    join ledger_transaction t on t.id = e.transaction_id order by e.sequence desc`,
};
const countOthers = {
  name: "ledger_count_others",
  text: `select count(*) as others, count(*) filter (where e.kind = any($4)) as matching
    from ledger_entry e where ${WITHIN} and e.kind <> 'call'`,
};
const readEntriesOf = {
  name: "ledger_read_entries_of_keys",
  text: `select ${LINE} from ledger_transaction t join ledger_entry e on e.transaction_id = t.id
    where t.idempotency_key = any($2) and e.customer_id = $1 order by e.sequence`,
};
const paidForCalls = {
  name: "ledger_paid_for_calls",
  text: `select coalesce(-sum(e.amount_micros - e.bonus_micros), 0)::bigint as paid
    from ledger_entry e join ledger_transaction t on t.id = e.transaction_id
    where e.customer_id = $1 and e.kind in ('call', 'call_refund') and t.created_at < $2`,
};
const lowTopUps = {
  name: "ledger_low_top_ups",
  text: `select reference_id from (
      select t.reference_id, e.sequence, e.balance_after_micros - e.amount_micros < $2 as low,
        row_number() over (order by e.sequence) as nth
      from ledger_entry e join ledger_transaction t on t.id = e.transaction_id
      where e.customer_id = $1 and e.kind = 'top_up'
    ) top_up where low and nth > 1 order by sequence limit $3`,
};
const entriesBefore = { name: "ledger_entries_before", text: "select entries_before($1, $2) as entries" };
const statementBounds = {
  name: "ledger_statement_bounds",
  text: "select opened_at, closed_at, opening_micros, closing_micros from statement_bounds($1, $2, $3)",
};
const readStatementLines = {
  name: "ledger_read_statement_lines",
  text: `select ${LINE} from ledger_entry e join ledger_transaction t on t.id = e.transaction_id
    where ${WITHIN} order by e.sequence limit $4`,
};

export interface AccountRow {
  balance_micros: bigint;
  held_micros: bigint;
  debt_micros: bigint;
  bonus_micros: bigint;
  entry_count: bigint;
}

export interface EntryRow {
  sequence: bigint;
  amount_micros: bigint;
  bonus_micros: bigint;
  balance_after_micros: bigint;
  id: string;
  kind: LedgerKind;
  description: string;
  reference_id: string | null;
  created_at: Date;
}

export interface StatementBoundsRow {
  opened_at: bigint;
  closed_at: bigint;
  opening_micros: bigint;
  closing_micros: bigint;
}

/** Entries of an account after position $2, up to and including $3. */
type Positions = [customerId: string, after: bigint, upTo: bigint];

/** The ledger's statements. They return the database's rows, and map its errors (`toLedgerError`). */
export const ledgerStore = {
  openAccount: (tx: LedgerTx, customerId: string) => query(tx, openAccount, [customerId]),
  holdCredit: (tx: LedgerTx, values: readonly [holdId: string, customerId: string, want: bigint, least: bigint]) =>
    query<{ held: bigint }>(tx, holdCredit, values),
  postHold: (tx: LedgerTx, values: readonly [transactionId: string, holdId: string, charge: bigint, description: string]) =>
    query<{ charged: bigint }>(tx, postHold, values),
  voidHold: (tx: LedgerTx, holdId: string) => query<{ voided: boolean }>(tx, voidHold, [holdId]),
  extendHold: (tx: LedgerTx, values: readonly [holdId: string, want: bigint]) => query<{ held: bigint }>(tx, extendHold, values),
  returnBonus: (
    tx: LedgerTx,
    values: readonly [
      transactionId: string,
      key: string,
      customerId: string,
      amount: bigint,
      referenceId: string,
      description: string,
    ],
  ) => query<{ applied: boolean; shortfall_micros: bigint }>(tx, returnBonus, values),
  lockAccounts: (tx: Transaction, customerIds: readonly string[]) =>
    query<{ customer_id: string }>(tx, lockAccounts, [customerIds]),
  withdrawCredit: (
    tx: LedgerTx,
    values: readonly [
      transactionId: string,
      key: string,
      customerId: string,
      amount: bigint,
      referenceId: string,
      description: string,
    ],
  ) => query<{ applied: boolean }>(tx, withdrawCredit, values),
  forfeitCredit: (tx: LedgerTx, values: readonly [transactionId: string, key: string, customerId: string, description: string]) =>
    query<{ taken: bigint }>(tx, forfeitCredit, values),
  restore: (tx: LedgerTx, values: readonly [transactionId: string, key: string, restoredKey: string, description: string]) =>
    query<{ applied: boolean }>(tx, restore, values),
  holdEach: (tx: Transaction, values: readonly [ids: string[], customerIds: string[], amounts: bigint[]]) =>
    query<unknown>(tx, holdEach, values),
  resolveEach: (
    tx: Transaction,
    values: readonly [transactionIds: string[], ids: string[], charges: bigint[], descriptions: string[]],
  ) => query<unknown>(tx, resolveEach, values),
  postCredit: (tx: LedgerTx, values: PostingValues) => query<{ applied: boolean }>(tx, postCredit, values),
  postReversal: (tx: LedgerTx, values: PostingValues) =>
    query<{ applied: boolean; shortfall_micros: bigint }>(tx, postReversal, values),
  paidForCalls: (tx: LedgerTx, values: readonly [customerId: string, before: Date]) =>
    query<{ paid: bigint }>(tx, paidForCalls, values),
  lowTopUps: (tx: LedgerTx, values: readonly [customerId: string, belowMicros: bigint, limit: number]) =>
    query<{ reference_id: string }>(tx, lowTopUps, values),
  readAccount: (tx: LedgerTx, customerId: string) => query<AccountRow>(tx, readAccount, [customerId]),
  readAllLines: (tx: LedgerTx, values: readonly [...Positions, limit: number]) => query<EntryRow>(tx, readAllLines, values),
  readCallLines: (tx: LedgerTx, values: readonly [...Positions, limit: number]) => query<EntryRow>(tx, readCallLines, values),
  readOtherLines: (tx: LedgerTx, values: readonly [...Positions, limit: number, kinds: readonly LedgerKind[]]) =>
    query<EntryRow>(tx, readOtherLines, values),
  countOthers: (tx: LedgerTx, values: readonly [...Positions, kinds: readonly LedgerKind[]]) =>
    query<{ others: bigint; matching: bigint }>(tx, countOthers, values),
  readEntriesOf: (tx: LedgerTx, values: readonly [customerId: string, keys: readonly string[]]) =>
    query<EntryRow>(tx, readEntriesOf, values),
  entriesBefore: (tx: LedgerTx, values: readonly [customerId: string, moment: Date]) =>
    query<{ entries: bigint }>(tx, entriesBefore, values),
  statementBounds: (tx: LedgerTx, values: readonly [customerId: string, from: Date, to: Date]) =>
    query<StatementBoundsRow>(tx, statementBounds, values),
  readStatementLines: (tx: LedgerTx, values: readonly [...Positions, limit: number]) =>
    query<EntryRow>(tx, readStatementLines, values),
};

export type PostingValues = readonly [
  transactionId: string,
  key: string,
  customerId: string,
  kind: string,
  amount: bigint,
  referenceId: string | null,
  description: string,
];

async function query<Row>(tx: LedgerTx, statement: Statement, values: readonly unknown[]): Promise<Row[]> {
  try {
    if (tx instanceof Pool) return await queryPool<Row>(tx, statement, values);
    return (await tx.executeQuery<Row>(CompiledQuery.raw(statement.text, [...values]))).rows;
  } catch (error) {
    throw toLedgerError(error);
  }
}

/** Keeps the connection after a refusal by our own functions; `pool.query` would discard it after any error. */
async function queryPool<Row>(pool: Pool, statement: Statement, values: readonly unknown[]): Promise<Row[]> {
  const client = await pool.connect();
  let broken = true;
  try {
    const { rows } = await client.query({ ...statement, values: [...values] });
    broken = false;
    return rows as Row[];
  } catch (error) {
    broken = !(error instanceof DatabaseError);
    throw error;
  } finally {
    client.release(broken);
  }
}
