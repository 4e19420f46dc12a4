import { uuidv7 } from "uuidv7";
import { AppError } from "../platform/app-error.ts";
import { ledgerStore, type AccountRow, type EntryRow, type LedgerTx } from "./ledger.store.ts";
import type { LedgerKind } from "./ledger.tables.ts";

export type { LedgerTx } from "./ledger.store.ts";
export type { LedgerKind } from "./ledger.tables.ts";
/** For a subject whose own SQL function calls `hold_credit`: what the database raised becomes the error to answer. */
export { toLedgerError } from "./ledger-error.ts";
export { ledgerJobs, verifyLedger, type LedgerDrift } from "./verify-ledger.ts";

/** What a customer has, in micro-dollars. */
export interface Balance {
  /** Credit, holds included. Never negative. */
  balanceMicros: bigint;
  /** Set aside for running calls. */
  heldMicros: bigint;
  /** `balance` less `held`: what a new call may use. */
  availableMicros: bigint;
  /** Owed after a refund of credit that was spent; repaid first by whatever comes in. */
  debtMicros: bigint;
}

/** One line of a customer's account. */
export interface LedgerLine {
  id: string;
  kind: LedgerKind;
  description: string;
  /** Signed: what the entry adds to the account. */
  amountMicros: bigint;
  /** Balance less debt after this entry; below zero while there is debt. */
  balanceAfterMicros: bigint;
  /** The call or payment behind it. */
  referenceId: string | null;
  createdAt: Date;
}

export interface LedgerPage {
  rows: LedgerLine[];
  nextCursor: string | null;
  /** Entries of the account in all. */
  total: number;
}

/** Credit or reversal: applied once for each key. A known key with other content is an AppError `conflict`. */
interface Posting<Kind> {
  key: string;
  customerId: string;
  kind: Kind;
  /** Above zero. */
  amountMicros: bigint;
  description: string;
}

/**
 * The only room that moves money. An account's id is its customer's id, a hold's id its call's id. Every operation takes
 * a running transaction, or the pool to commit by itself, and may be repeated: the repetition changes nothing and
 * returns the first result.
 */
export interface Ledger {
  /** Opens the customer's account, empty; no-op when it is open. */
  openAccount(tx: LedgerTx, customerId: string): Promise<void>;
  balance(tx: LedgerTx, customerId: string): Promise<Balance>;
  /**
   * Sets aside min(available, want) for a call.
   * @throws AppError insufficient_credit with `credit` when less than `leastMicros` is available (a debt leaves nothing).
   */
  hold(
    tx: LedgerTx,
    h: { holdId: string; customerId: string; wantMicros: bigint; leastMicros: bigint },
  ): Promise<{ heldMicros: bigint }>;
  /**
   * Charges a call, at most what is held, and releases the rest.
   * @throws AppError conflict when the hold was voided.
   */
  postHold(tx: LedgerTx, p: { holdId: string; chargeMicros: bigint; description: string }): Promise<{ chargedMicros: bigint }>;
  /**
   * Releases a hold without a charge.
   * @throws AppError conflict when the hold was posted.
   */
  voidHold(tx: LedgerTx, holdId: string): Promise<void>;
  /** Adds credit; debt is repaid from it first. */
  credit(
    tx: LedgerTx,
    c: Posting<"top_up" | "bonus" | "test_credit" | "adjustment"> & { referenceId: string | null },
  ): Promise<{ applied: boolean }>;
  /** Takes credit back (`bonus`: a bonus that goes with its refunded payment). What is spent or held becomes debt. */
  reverse(
    tx: LedgerTx,
    r: Posting<"refund" | "dispute" | "bonus"> & { referenceId: string },
  ): Promise<{ applied: boolean; shortfallMicros: bigint }>;
  /** The account's lines, newest first. `cursor` is the `nextCursor` of the page before. */
  transactions(tx: LedgerTx, customerId: string, page: { cursor?: string; limit: number }): Promise<LedgerPage>;
}

export const ledger: Ledger = {
  async openAccount(tx, customerId) {
    await ledgerStore.openAccount(tx, customerId);
  },

  async balance(tx, customerId) {
    const account = await readAccount(tx, customerId);
    return {
      balanceMicros: account.balance_micros,
      heldMicros: account.held_micros,
      availableMicros: account.balance_micros - account.held_micros,
      debtMicros: account.debt_micros,
    };
  },

  async hold(tx, { holdId, customerId, wantMicros, leastMicros }) {
    const row = only(await ledgerStore.holdCredit(tx, [holdId, customerId, wantMicros, leastMicros]));
    return { heldMicros: row.held };
  },

  async postHold(tx, { holdId, chargeMicros, description }) {
    const row = only(await ledgerStore.postHold(tx, [uuidv7(), holdId, chargeMicros, description]));
    return { chargedMicros: row.charged };
  },

  async voidHold(tx, holdId) {
    await ledgerStore.voidHold(tx, holdId);
  },

  async credit(tx, c) {
    return only(
      await ledgerStore.postCredit(tx, [uuidv7(), c.key, c.customerId, c.kind, c.amountMicros, c.referenceId, c.description]),
    );
  },

  async reverse(tx, r) {
    const row = only(
      await ledgerStore.postReversal(tx, [uuidv7(), r.key, r.customerId, r.kind, r.amountMicros, r.referenceId, r.description]),
    );
    return { applied: row.applied, shortfallMicros: row.shortfall_micros };
  },

  async transactions(tx, customerId, { cursor, limit }) {
    const before = cursor === undefined ? MAX_SEQUENCE : parseCursor(cursor);
    const account = await readAccount(tx, customerId);
    const rows = await ledgerStore.readEntries(tx, [customerId, before, limit + 1]);
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return {
      rows: shown.map(toLine),
      nextCursor: rows.length > limit && last !== undefined ? String(last.sequence) : null,
      total: Number(account.entry_count),
    };
  },
};

const MAX_SEQUENCE = 2n ** 63n - 1n;

function parseCursor(cursor: string): bigint {
  if (!/^[1-9]\d{0,17}$/.test(cursor)) throw new AppError("malformed_request", "This page of the list does not exist.");
  return BigInt(cursor);
}

async function readAccount(tx: LedgerTx, customerId: string): Promise<AccountRow> {
  return only(await ledgerStore.readAccount(tx, customerId));
}

function toLine(row: EntryRow): LedgerLine {
  return {
    id: row.id,
    kind: row.kind,
    description: row.description,
    amountMicros: row.amount_micros,
    balanceAfterMicros: row.balance_after_micros,
    referenceId: row.reference_id,
    createdAt: row.created_at,
  };
}

function only<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error("The ledger has no such account.");
  return row;
}
