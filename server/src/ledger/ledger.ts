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

/** A customer's balance, in micro-dollars. */
export interface Balance {
  /** Credit, holds included. Never negative. */
  balanceMicros: bigint;
  /** Held for running calls. */
  heldMicros: bigint;
  /** `balance` less `held`: what a new call may use. */
  availableMicros: bigint;
  /** Owed after a refund of spent credit. Incoming credit repays it first. */
  debtMicros: bigint;
  /** The part of `balance` that was granted, not paid. Calls spend it first. */
  bonusMicros: bigint;
  /** Free paid credit, which may be withdrawn to the card. */
  withdrawableMicros: bigint;
}

/** A credit or reversal, applied once per key. Reusing a key with other content is an AppError `conflict`. */
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

/** The idempotency key of a call's refund. */
export function callRefundKey(callId: string): string {
  return `call_refund:${callId}`;
}

/**
 * The only module that moves money. An account's id is its customer's id, a hold's id its call's id. Each operation runs in
 * the given transaction, or in its own if given the pool. Repeating one changes nothing and returns the first result.
 */
export interface Ledger {
  /** Locks several accounts in a fixed order, which prevents deadlocks. Call it before changing any of them. */
  lockAccounts(tx: Transaction, customerIds: readonly string[]): Promise<void>;
  /** Opens an empty account for the customer; no-op if it exists. */
  openAccount(tx: LedgerTx, customerId: string): Promise<void>;
  balance(tx: LedgerTx, customerId: string): Promise<Balance>;
  /**
   * Holds min(available, want) for a call.
   * @throws AppError insufficient_credit with `credit` when less than `leastMicros` is available. Debt leaves nothing available.
   */
  hold(
    tx: LedgerTx,
    h: { holdId: string; customerId: string; wantMicros: bigint; leastMicros: bigint },
  ): Promise<{ heldMicros: bigint }>;
  /** `hold` for many accounts in one statement. The transaction must have locked the accounts. */
  holdEach(tx: Transaction, holds: readonly { holdId: string; customerId: string; micros: bigint }[]): Promise<void>;
  /**
   * Charges a call, at most its hold, and releases the rest.
   * @throws AppError conflict when the hold was voided.
   */
  postHold(tx: LedgerTx, p: HoldCharge): Promise<{ chargedMicros: bigint }>;
  /**
   * Releases a hold without a charge.
   * @throws AppError conflict when the hold was posted.
   */
  voidHold(tx: LedgerTx, holdId: string): Promise<void>;
  /**
   * `postHold`, or `voidHold` where the charge is 0, for many holds in one statement. The transaction must have locked the
   * accounts.
   */
  resolveEach(tx: Transaction, charges: readonly HoldCharge[]): Promise<void>;
  /**
   * Raises a running call's hold to `wantMicros` in total, as far as free credit allows; never lowers it.
   * @returns the amount now held
   * @throws AppError conflict when the hold was posted or voided.
   */
  extendHold(tx: LedgerTx, h: { holdId: string; wantMicros: bigint }): Promise<{ heldMicros: bigint }>;
  /** Adds credit, which repays debt first. A `write_off` cancels debt and never exceeds it. */
  credit(
    tx: LedgerTx,
    c: Posting<"top_up" | "bonus" | "test_credit" | "adjustment" | "write_off"> & { referenceId: string | null },
  ): Promise<{ applied: boolean }>;
  /**
   * Takes credit back. A refund or dispute takes paid credit first, then bonus; the shortfall, which was spent or is held,
   * becomes debt. `bonus` takes back what is left of a grant; its shortfall was spent and is not owed.
   */
  reverse(
    tx: LedgerTx,
    r: Posting<"refund" | "dispute" | "bonus"> & { referenceId: string },
  ): Promise<{ applied: boolean; shortfallMicros: bigint }>;
  /**
   * Takes back the bonus earned by a payment that is refunded or disputed: from the bonus left, then from free paid credit.
   * The rest is the shortfall, which is not owed.
   */
  returnBonus(
    tx: LedgerTx,
    r: Omit<Posting<never>, "kind"> & { referenceId: string },
  ): Promise<{ applied: boolean; shortfallMicros: bigint }>;
  /**
   * Withdraws free, paid credit to the card.
   * @throws AppError insufficient_credit when it is more than `withdrawableMicros`.
   */
  withdraw(tx: LedgerTx, w: Omit<Posting<never>, "kind"> & { referenceId: string }): Promise<{ applied: boolean }>;
  /** Takes all credit of an account that is erased. @returns how much, in micro-dollars */
  forfeit(tx: LedgerTx, f: { key: string; customerId: string; description: string }): Promise<bigint>;
  /**
   * Restores in full, once, what the transaction `restoredKey` took: a call's charge (`callChargeKey`), a failed refund or
   * withdrawal, a won dispute, a returned bonus. Bonus is restored as bonus. Not applied if nothing was taken.
   * @throws AppError conflict when it was already restored under another key.
   */
  restore(tx: LedgerTx, r: { key: string; restoredKey: string; description: string }): Promise<{ applied: boolean }>;
  /** The account's lines about one call, oldest first: its charge and its refund (`callRefundKey`). */
  callEntries(tx: LedgerTx, customerId: string, callId: string): Promise<LedgerLine[]>;
  /** How much paid credit was spent on calls before a time, less refunds, in micro-dollars. */
  paidForCalls(tx: LedgerTx, customerId: string, before: Date): Promise<bigint>;
  /**
   * The first `limit` payments, oldest first, that were credited while the balance less debt was below `belowMicros`. The
   * account's very first payment is left out: everybody begins at nothing.
   */
  lowTopUps(tx: LedgerTx, customerId: string, wanted: { belowMicros: bigint; limit: number }): Promise<string[]>;
  /** The account's matching lines, newest first. */
  transactions(tx: LedgerTx, customerId: string, query: LedgerPageQuery): Promise<LedgerPage>;
  /** The account's statement for a time span. Statements of the past never change. */
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

  async forfeit(tx, { key, customerId, description }) {
    return only(await ledgerStore.forfeitCredit(tx, [uuidv7(), key, customerId, description])).taken;
  },

  async restore(tx, { key, restoredKey, description }) {
    return only(await ledgerStore.restore(tx, [uuidv7(), key, restoredKey, description]));
  },

  async callEntries(tx, customerId, callId) {
    const rows = await ledgerStore.readEntriesOf(tx, [customerId, [callChargeKey(callId), callRefundKey(callId)]]);
    return rows.map(toLine);
  },

  async lowTopUps(tx, customerId, { belowMicros, limit }) {
    const rows = await ledgerStore.lowTopUps(tx, [customerId, belowMicros, limit]);
    return rows.map((row) => row.reference_id);
  },
  async paidForCalls(tx, customerId, before) {
    return only(await ledgerStore.paidForCalls(tx, [customerId, before])).paid;
  },

  transactions: readPage,
  statement: readStatement,
};
