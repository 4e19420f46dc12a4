import { uuidv7 } from "uuidv7";
import type { Transaction } from "../platform/database/database.ts";
import { ledgerStore, type LedgerTx } from "./ledger.store.ts";
import {
  only,
  readPage,
  readStatement,
  toLine,
  type LedgerLine,
  type LedgerPage,
  type LedgerPageQuery,
  type LedgerStatement,
} from "./read-lines.ts";

export type { LedgerTx } from "./ledger.store.ts";
export type { LedgerKind } from "./ledger.tables.ts";
export type { LedgerGroup, LedgerLine, LedgerPage, LedgerPageQuery, LedgerStatement } from "./read-lines.ts";
export { insufficientCredit } from "./ledger-error.ts";
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
  /** The part of `balance` that was granted, not paid. Calls spend it first. */
  bonusMicros: bigint;
  /** Paid credit that no running call needs: what may go back to the card. */
  withdrawableMicros: bigint;
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

interface HoldCharge {
  holdId: string;
  chargeMicros: bigint;
  description: string;
}

/** The key under which a call's charge is posted. */
export function callChargeKey(callId: string): string {
  return `call:${callId}`;
}

/** The key under which a call's charge is given back, once. */
export function callRefundKey(callId: string): string {
  return `call_refund:${callId}`;
}

/**
 * The only room that moves money. An account's id is its customer's id, a hold's id its call's id. Every operation takes
 * a running transaction, or the pool to commit by itself, and may be repeated: the repetition changes nothing and
 * returns the first result.
 */
export interface Ledger {
  /** Takes the locks of several accounts, in the one order that all keep to, before the first of them moves. */
  lockAccounts(tx: Transaction, customerIds: readonly string[]): Promise<void>;
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
  /** Sets these amounts aside, for accounts that the transaction has locked: `hold` for each, in one statement. */
  holdEach(tx: Transaction, holds: readonly { holdId: string; customerId: string; micros: bigint }[]): Promise<void>;
  /**
   * Charges a call, at most what is held, and releases the rest.
   * @throws AppError conflict when the hold was voided.
   */
  postHold(tx: LedgerTx, p: HoldCharge): Promise<{ chargedMicros: bigint }>;
  /**
   * Releases a hold without a charge.
   * @throws AppError conflict when the hold was posted.
   */
  voidHold(tx: LedgerTx, holdId: string): Promise<void>;
  /**
   * `postHold` for each, or `voidHold` where the charge is 0, for accounts that the transaction has locked, in one statement.
   */
  resolveEach(tx: Transaction, charges: readonly HoldCharge[]): Promise<void>;
  /**
   * Sets more credit aside for a running call: up to `wantMicros` in all, as far as there is free credit; never less than
   * before. Answers what is held then.
   * @throws AppError conflict when the hold was posted or voided.
   */
  extendHold(tx: LedgerTx, h: { holdId: string; wantMicros: bigint }): Promise<{ heldMicros: bigint }>;
  /** Adds credit; debt is repaid from it first. A `write_off` gives up debt, at most what is owed. */
  credit(
    tx: LedgerTx,
    c: Posting<"top_up" | "bonus" | "test_credit" | "adjustment" | "write_off"> & { referenceId: string | null },
  ): Promise<{ applied: boolean }>;
  /**
   * Takes credit back. A refund or dispute takes paid credit first, then bonus; what is spent or held becomes debt, the
   * shortfall. `bonus` takes a grant back as far as it is still there; the shortfall was spent, and nobody owes it.
   */
  reverse(
    tx: LedgerTx,
    r: Posting<"refund" | "dispute" | "bonus"> & { referenceId: string },
  ): Promise<{ applied: boolean; shortfallMicros: bigint }>;
  /**
   * Takes back bonus that money on its way back had earned: what is there of it, and for what was spent free paid credit, as
   * far as there is any. The shortfall is the rest, and nobody owes it.
   */
  returnBonus(
    tx: LedgerTx,
    r: Omit<Posting<never>, "kind"> & { referenceId: string },
  ): Promise<{ applied: boolean; shortfallMicros: bigint }>;
  /**
   * Takes paid, free credit out, to go back to the card.
   * @throws AppError insufficient_credit when it is more than `withdrawableMicros`.
   */
  withdraw(tx: LedgerTx, w: Omit<Posting<never>, "kind"> & { referenceId: string }): Promise<{ applied: boolean }>;
  /**
   * Gives back, whole and once, what the posting under `restoredKey` took: a call's charge (key `callChargeKey`), a refund
   * or withdrawal that did not reach the card, a dispute that was won, a bonus taken back. What was bonus is bonus again.
   * Not applied when nothing had been taken.
   * @throws AppError conflict when it was given back under another key.
   */
  restore(tx: LedgerTx, r: { key: string; restoredKey: string; description: string }): Promise<{ applied: boolean }>;
  /** The account's lines about one call, oldest first: its charge, and what of it was given back (`callRefundKey`). */
  callEntries(tx: LedgerTx, customerId: string, callId: string): Promise<LedgerLine[]>;
  /** What bought credit paid for calls before a time, less what of it was given back, in micro-dollars. */
  paidForCalls(tx: LedgerTx, customerId: string, before: Date): Promise<bigint>;
  /** The account's lines that fit, newest first. */
  transactions(tx: LedgerTx, customerId: string, query: LedgerPageQuery): Promise<LedgerPage>;
  /** The account over a time; what it says of the past never changes. */
  statement(tx: LedgerTx, customerId: string, time: { from: Date; to: Date }): Promise<LedgerStatement>;
}

export const ledger: Ledger = {
  async openAccount(tx, customerId) {
    await ledgerStore.openAccount(tx, customerId);
  },

  async balance(tx, customerId) {
    const account = only(await ledgerStore.readAccount(tx, customerId));
    const { balance_micros: balanceMicros, held_micros: heldMicros, bonus_micros: bonusMicros } = account;
    return {
      balanceMicros,
      heldMicros,
      availableMicros: balanceMicros - heldMicros,
      debtMicros: account.debt_micros,
      bonusMicros,
      withdrawableMicros: balanceMicros - (bonusMicros > heldMicros ? bonusMicros : heldMicros),
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

  async holdEach(tx, holds) {
    if (holds.length === 0) return;
    await ledgerStore.holdEach(tx, [holds.map((h) => h.holdId), holds.map((h) => h.customerId), holds.map((h) => h.micros)]);
  },

  async resolveEach(tx, charges) {
    if (charges.length === 0) return;
    await ledgerStore.resolveEach(tx, [
      charges.map(() => uuidv7()),
      charges.map((c) => c.holdId),
      charges.map((c) => c.chargeMicros),
      charges.map((c) => c.description),
    ]);
  },

  async extendHold(tx, { holdId, wantMicros }) {
    const row = only(await ledgerStore.extendHold(tx, [holdId, wantMicros]));
    return { heldMicros: row.held };
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

  async returnBonus(tx, r) {
    const row = only(
      await ledgerStore.returnBonus(tx, [uuidv7(), r.key, r.customerId, r.amountMicros, r.referenceId, r.description]),
    );
    return { applied: row.applied, shortfallMicros: row.shortfall_micros };
  },

  async lockAccounts(tx, customerIds) {
    await ledgerStore.lockAccounts(tx, customerIds);
  },

  async withdraw(tx, w) {
    return only(
      await ledgerStore.withdrawCredit(tx, [uuidv7(), w.key, w.customerId, w.amountMicros, w.referenceId, w.description]),
    );
  },

  async restore(tx, { key, restoredKey, description }) {
    return only(await ledgerStore.restore(tx, [uuidv7(), key, restoredKey, description]));
  },

  async callEntries(tx, customerId, callId) {
    const rows = await ledgerStore.readEntriesOf(tx, [customerId, [callChargeKey(callId), callRefundKey(callId)]]);
    return rows.map(toLine);
  },

  async paidForCalls(tx, customerId, before) {
    return only(await ledgerStore.paidForCalls(tx, [customerId, before])).paid;
  },

  transactions: readPage,
  statement: readStatement,
};
