import { sql, type RawBuilder, type Selectable } from "kysely";
import { uuidv7 } from "uuidv7";
import type { Transaction, Tx } from "../platform/database/database.ts";
import { executePrepared } from "../platform/database/prepared.ts";
import type { LedgerKind, LedgerTables } from "./ledger.tables.ts";

/** One line of a customer's account. */
export interface LedgerLine {
  id: string;
  /** Position in the account, 1 for its first line. */
  sequence: bigint;
  kind: LedgerKind;
  description: string;
  /** Signed change of the balance. */
  amountMicros: bigint;
  /** The bonus part of the amount, signed. */
  bonusMicros: bigint;
  /** Balance minus debt after this entry; negative while there is debt. */
  balanceAfterMicros: bigint;
  /** The call or payment that caused it. */
  referenceId: string | null;
  /** Who called on the account's credit; null if it was the account's customer. */
  callerId: string | null;
  createdAt: Date;
}

/** The entries of an account after one position, up to and including another. */
export interface Span {
  readonly customerId: string;
  readonly after: bigint;
  readonly upTo: bigint;
}

/** The columns of a `LedgerLine`; `e` is the customer's entry, `t` its transaction. */
const LINE = sql`e.sequence, e.amount_micros as "amountMicros", e.bonus_micros as "bonusMicros",
  e.balance_after_micros as "balanceAfterMicros", e.kind, t.id, t.description, t.reference_id as "referenceId", t.caller_id as "callerId",
  t.created_at as "createdAt"`;

const within = ({ customerId, after, upTo }: Span) =>
  sql`e.customer_id = ${customerId} and e.sequence > ${after} and e.sequence <= ${upTo}`;

/** Locks in a fixed order, so that transactions that lock several accounts cannot deadlock. */
export async function lockAccounts(tx: Transaction, customerIds: readonly string[]): Promise<void> {
  await tx
    .selectFrom("account")
    .select("customer_id")
    .where("customer_id", "=", sql<string>`any(${customerIds})`)
    .orderBy("customer_id")
    .forNoKeyUpdate()
    .execute();
}

export interface FullHold {
  holdId: string;
  /** The account that pays. */
  customerId: string;
  /** Who calls on the account's credit; null if it is the account's customer. */
  callerId: string | null;
  wantMicros: bigint;
  leastMicros: bigint;
}

/** Holds credit of different accounts. @returns the amounts held, by hold, in micro-dollars */
export async function holdCredit(tx: Tx, holds: readonly FullHold[]): Promise<ReadonlyMap<string, bigint>> {
  const query = sql<{ hold_id: string; held_micros: bigint }>`select * from hold_credit(
    ${holds.map((h) => h.holdId)}, ${holds.map((h) => h.customerId)}, ${holds.map((h) => h.callerId)},
    ${holds.map((h) => h.wantMicros)}, ${holds.map((h) => h.leastMicros)})`;
  const held = await executePrepared(tx, "hold_credit", query);
  return new Map(held.map((one) => [one.hold_id, one.held_micros]));
}

export interface HoldCharge {
  holdId: string;
  /** Null releases the hold without a charge. */
  chargeMicros: bigint | null;
  description: string;
}

/** Charges or releases holds. @returns the charges, by hold, in micro-dollars */
export async function resolveHolds(tx: Tx, charges: readonly HoldCharge[]): Promise<ReadonlyMap<string, bigint>> {
  const query = sql<{ hold_id: string; charged_micros: bigint }>`select * from resolve_holds(
    ${charges.map(() => uuidv7())}, ${charges.map((c) => c.holdId)}, ${charges.map((c) => c.chargeMicros)},
    ${charges.map((c) => c.description)})`;
  const resolved = await executePrepared(tx, "resolve_holds", query);
  return new Map(resolved.map((one) => [one.hold_id, one.charged_micros]));
}

interface AccountRow {
  balanceMicros: bigint;
  heldMicros: bigint;
  debtMicros: bigint;
  bonusMicros: bigint;
  withdrawableMicros: bigint;
  entryCount: bigint;
}

export async function readAccount(tx: Tx, customerId: string): Promise<AccountRow | undefined> {
  const query = sql<AccountRow>`select balance_micros as "balanceMicros", held_micros as "heldMicros",
    debt_micros as "debtMicros", bonus_micros as "bonusMicros",
    withdrawable_micros(account) as "withdrawableMicros", entry_count as "entryCount"
    from account where customer_id = ${customerId}`;
  return (await executePrepared(tx, "read_account", query))[0];
}

/** The newest lines. */
export function readAllLines(tx: Tx, span: Span, limit: number): Promise<LedgerLine[]> {
  return executePrepared(tx, "read_all_lines", lines(sql`${within(span)} order by e.sequence desc limit ${limit}`));
}

/** The newest lines of calls. */
export function readCallLines(tx: Tx, span: Span, limit: number): Promise<LedgerLine[]> {
  const rest = sql`${within(span)} and e.kind in ('call', 'call_refund') order by e.sequence desc limit ${limit}`;
  return executePrepared(tx, "read_call_lines", lines(rest));
}

/** The oldest lines. */
export function readOldestLines(tx: Tx, span: Span, limit: number): Promise<LedgerLine[]> {
  return executePrepared(tx, "read_oldest_lines", lines(sql`${within(span)} order by e.sequence limit ${limit}`));
}

/**
 * The newest lines of each kind, merged. The condition `kind <> 'call'` selects the partial index without calls, so that no
 * rows of other kinds are read.
 */
export function readOtherLines(tx: Tx, span: Span, limit: number, kinds: readonly LedgerKind[]): Promise<LedgerLine[]> {
  const query = sql<LedgerLine>`select ${LINE} from (
      select n.sequence from unnest(${kinds}::ledger_kind[]) k cross join lateral (
        select e.sequence from ledger_entry e where ${within(span)} and e.kind <> 'call' and e.kind = k
          order by e.sequence desc limit ${limit}
      ) n order by n.sequence desc limit ${limit}
    ) newest join ledger_entry e on e.customer_id = ${span.customerId} and e.sequence = newest.sequence
    join ledger_transaction t on t.id = e.transaction_id order by e.sequence desc`;
  return executePrepared(tx, "read_other_lines", query);
}

/** Counts the entries other than calls' charges, in total and of the given kinds. */
export async function countOthers(
  tx: Tx,
  span: Span,
  kinds: readonly LedgerKind[],
): Promise<{ others: bigint; matching: bigint }> {
  const query = sql<{ others: bigint; matching: bigint }>`
    select count(*) as others, count(*) filter (where e.kind = any(${kinds})) as matching
    from ledger_entry e where ${within(span)} and e.kind <> 'call'`;
  return (await executePrepared(tx, "count_others", query))[0] as { others: bigint; matching: bigint };
}

/** The account's lines of transactions with these keys, oldest first. */
export function readLinesOf(tx: Tx, customerId: string, keys: readonly string[]): Promise<LedgerLine[]> {
  const rest = sql`t.idempotency_key = any(${keys}) and e.customer_id = ${customerId} order by e.sequence`;
  return executePrepared(tx, "read_lines_of", lines(rest));
}

/** A call's hold. */
export async function readHold(tx: Tx, holdId: string): Promise<Selectable<LedgerTables["hold"]> | undefined> {
  return tx.selectFrom("hold").selectAll().where("id", "=", holdId).executeTakeFirst();
}

/** Paid credit spent on calls before a time, minus refunds. */
export async function readPaidForCalls(tx: Tx, customerId: string, before: Date): Promise<bigint> {
  const { rows } = await sql<{ paid: bigint }>`
    select coalesce(-sum(e.amount_micros - e.bonus_micros), 0)::bigint as paid
    from ledger_entry e join ledger_transaction t on t.id = e.transaction_id
    where e.customer_id = ${customerId} and e.kind in ('call', 'call_refund') and t.created_at < ${before}`.execute(tx);
  return (rows[0] as { paid: bigint }).paid;
}

export async function readLowTopUps(
  tx: Tx,
  customerId: string,
  { belowMicros, limit }: { belowMicros: bigint; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ reference_id: string }>`
    select reference_id from (
      select t.reference_id, e.sequence, e.balance_after_micros - e.amount_micros < ${belowMicros} as low,
        row_number() over (order by e.sequence) as nth
      from ledger_entry e join ledger_transaction t on t.id = e.transaction_id
      where e.customer_id = ${customerId} and e.kind = 'top_up'
    ) top_up where low and nth > 1 order by sequence limit ${limit}`.execute(tx);
  return rows.map((row) => row.reference_id);
}

/** @param rest the condition, order and limit */
function lines(rest: RawBuilder<unknown>): RawBuilder<LedgerLine> {
  return sql<LedgerLine>`select ${LINE} from ledger_entry e join ledger_transaction t on t.id = e.transaction_id where ${rest}`;
}
