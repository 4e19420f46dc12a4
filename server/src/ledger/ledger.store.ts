import { CompiledQuery } from "kysely";
import { DatabaseError, Pool } from "pg";
import type { Tx } from "../platform/database.ts";
import { toLedgerError } from "./ledger-error.ts";
import type { LedgerKind } from "./ledger.tables.ts";

/** A running transaction; or the pool, for one prepared statement that commits by itself. */
export type LedgerTx = Tx | Pool;

interface Statement {
  /** Under this name each connection keeps it prepared. */
  readonly name: string;
  readonly text: string;
}

const openAccount = { name: "ledger_open_account", text: "select open_account($1)" };
const holdCredit = { name: "ledger_hold_credit", text: "select hold_credit($1, $2, $3, $4) as held" };
const postHold = { name: "ledger_post_hold", text: "select post_hold($1, $2, $3, $4) as charged" };
const voidHold = { name: "ledger_void_hold", text: "select void_hold($1) as voided" };
const postCredit = { name: "ledger_post_credit", text: "select post_credit($1, $2, $3, $4, $5, $6, $7) as applied" };
const postReversal = {
  name: "ledger_post_reversal",
  text: "select applied, shortfall_micros from post_reversal($1, $2, $3, $4, $5, $6, $7)",
};
const readAccount = {
  name: "ledger_read_account",
  text: "select balance_micros, held_micros, debt_micros, entry_count from account where customer_id = $1",
};
const readEntries = {
  name: "ledger_read_entries",
  text: `select e.sequence, e.amount_micros, e.balance_after_micros, t.id, t.kind, t.description, t.reference_id, t.created_at
    from ledger_entry e join ledger_transaction t on t.id = e.transaction_id
    where e.customer_id = $1 and e.sequence < $2 order by e.sequence desc limit $3`,
};

export interface AccountRow {
  balance_micros: bigint;
  held_micros: bigint;
  debt_micros: bigint;
  entry_count: bigint;
}

export interface EntryRow {
  sequence: bigint;
  amount_micros: bigint;
  balance_after_micros: bigint;
  id: string;
  kind: LedgerKind;
  description: string;
  reference_id: string | null;
  created_at: Date;
}

/** The ledger's statements, one each. Rows come back as the database gives them; its errors as the ledger's. */
export const ledgerStore = {
  openAccount: (tx: LedgerTx, customerId: string) => query(tx, openAccount, [customerId]),
  holdCredit: (tx: LedgerTx, values: readonly [holdId: string, customerId: string, want: bigint, least: bigint]) =>
    query<{ held: bigint }>(tx, holdCredit, values),
  postHold: (tx: LedgerTx, values: readonly [transactionId: string, holdId: string, charge: bigint, description: string]) =>
    query<{ charged: bigint }>(tx, postHold, values),
  voidHold: (tx: LedgerTx, holdId: string) => query<{ voided: boolean }>(tx, voidHold, [holdId]),
  postCredit: (tx: LedgerTx, values: PostingValues) => query<{ applied: boolean }>(tx, postCredit, values),
  postReversal: (tx: LedgerTx, values: PostingValues) =>
    query<{ applied: boolean; shortfall_micros: bigint }>(tx, postReversal, values),
  readAccount: (tx: LedgerTx, customerId: string) => query<AccountRow>(tx, readAccount, [customerId]),
  readEntries: (tx: LedgerTx, values: readonly [customerId: string, before: bigint, limit: number]) =>
    query<EntryRow>(tx, readEntries, values),
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

/** `pool.query` throws a connection away after any error; a refusal of ours is no reason to. */
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
