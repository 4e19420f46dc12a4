import { uuidv7 } from "uuidv7";
import * as store from "./ledger.store.ts";
import type { Transaction, Tx } from "../platform/database/database.ts";
import { callFunction, readFunction } from "../platform/database/prepared.ts";
import { mapErrors } from "./ledger-error.ts";
import { only, readPage, readStatement } from "./read-lines.ts";
import type { Metric } from "../platform/metric.ts";
import type { LedgerContext } from "./verify-ledger.ts";
import { latestCheck } from "./ledger-drift.store.ts";

export type { LedgerLine } from "./ledger.store.ts";
export type { LedgerKind } from "./ledger.tables.ts";
export type { LedgerPage, LedgerStatement } from "./read-lines.ts";
export { insufficientCredit } from "./ledger-error.ts";
export { latestCheck } from "./ledger-drift.store.ts";
export { LATE_COMMIT_MS, type LedgerSpan, readLedgerSpan, sumLedgerHours } from "./ledger-hours.ts";
export { firstPosting, type BooksLine, type Credit, type Movement } from "./ledger-hours.store.ts";
export { checkLedger, ledgerJobs, verifyLedger, type LedgerDrift } from "./verify-ledger.ts";

/** It is checked every hour. */
const CHECK_LATE_SECONDS = 3 * 3_600;

/** A customer's balance, in micro-dollars. */
export interface Balance {
  /** All credit, including holds. Never negative. */
  balanceMicros: bigint;
  /** Held for running calls. */
  heldMicros: bigint;
  /** `balance` minus `held`: available for a new call. */
  availableMicros: bigint;
  /** Owed after a refund of spent credit. Incoming credit repays it first. */
  debtMicros: bigint;
  /** The part of `balance` that was granted, not paid. Calls spend it first. */
  bonusMicros: bigint;
  /** Free paid credit, which may be withdrawn to the card. */
  withdrawableMicros: bigint;
}

/** A movement of credit, applied once per key. Reusing a key with other content is an AppError `conflict`. */
interface Posting {
  key: string;
  customerId: string;
  /** Positive. */
  amountMicros: bigint;
  /** The call or payment that caused it. */
  referenceId: string;
  description: string;
}

type WantedHold = Omit<store.FullHold, "callerId"> & { callerId?: string | null };

/** The key under which a call's charge is posted. */
export function callChargeKey(callId: string): string {
  return `call:${callId}`;
}

/** The idempotency key of a call's refund. */
export function callRefundKey(callId: string): string {
  return `call_refund:${callId}`;
}

export type Ledger = typeof ledger;

/**
 * The only module that moves money. An account's id is its customer's id, a hold's id its call's id. Each operation is one statement,
 * in the given transaction or on its own, and idempotent: repeating it returns the first result.
 */
export const ledger = {
  /** Locks several accounts in a fixed order, which prevents deadlocks. Call it before changing any of them. */
  lockAccounts: store.lockAccounts,

  /** Opens an empty account for the customer; no-op if it exists. */
  async openAccount(tx: Tx, customerId: string): Promise<void> {
    await change(tx, "open_account", { customerId });
  },

  async balance(tx: Tx, customerId: string): Promise<Balance> {
    const { entryCount: _, ...account } = only(await store.readAccount(tx, customerId));
    return { ...account, availableMicros: account.balanceMicros - account.heldMicros };
  },

  /**
   * Holds the available credit, at most `wantMicros`, for a call. `callerId`: who calls on the account's credit, if not its customer.
   * @throws AppError insufficient_credit with `credit` if less than `leastMicros` is available. With debt nothing is available.
   */
  async hold(tx: Tx, { callerId = null, ...wanted }: WantedHold): Promise<{ heldMicros: bigint }> {
    const held = await mapErrors(store.holdCredit(tx, [{ ...wanted, callerId }]));
    return { heldMicros: held.get(wanted.holdId) ?? 0n };
  },

  /** `hold` for many different accounts in one statement. */
  async holdEach(tx: Transaction, holds: readonly store.FullHold[]): Promise<void> {
    if (holds.length > 0) await mapErrors(store.holdCredit(tx, holds));
  },

  /**
   * Holds credit for a call of the past, which was spent whether or not the account has it: what is missing is debt until the call is
   * charged. Raises the hold of a known call; no-op if it was resolved.
   */
  async holdSpent(
    tx: Tx,
    { holdId, customerId, callerId, micros }: Omit<store.FullHold, "wantMicros" | "leastMicros"> & { micros: bigint },
  ): Promise<void> {
    await change(tx, "hold_spent_credit", { holdId, customerId, callerId, micros });
  },

  /**
   * Charges a call, at most its hold, and releases the rest.
   * @throws AppError conflict if the hold was voided.
   */
  async postHold(tx: Tx, charge: store.HoldCharge & { chargeMicros: bigint }): Promise<{ chargedMicros: bigint }> {
    const charged = await mapErrors(store.resolveHolds(tx, [charge]));
    return { chargedMicros: charged.get(charge.holdId) ?? 0n };
  },

  /**
   * Releases a hold without a charge.
   * @throws AppError conflict if the hold was posted.
   */
  async voidHold(tx: Tx, holdId: string): Promise<void> {
    await mapErrors(store.resolveHolds(tx, [{ holdId, chargeMicros: null, description: "" }]));
  },

  /** `postHold`, or `voidHold` for a charge of null, for many holds in one statement. */
  async resolveEach(tx: Transaction, charges: readonly store.HoldCharge[]): Promise<void> {
    if (charges.length > 0) await mapErrors(store.resolveHolds(tx, charges));
  },

  /**
   * Raises a running call's hold to a total of `wantMicros`, as far as the available credit allows; never lowers it.
   * @returns the amount now held
   * @throws AppError conflict if the hold was posted or voided.
   */
  async extendHold(tx: Tx, { holdId, wantMicros }: { holdId: string; wantMicros: bigint }): Promise<{ heldMicros: bigint }> {
    return { heldMicros: await change(tx, "extend_hold", { holdId, wantMicros }) };
  },

  /** Adds credit, which repays debt first. A `write_off` cancels debt and never exceeds it. */
  async credit(
    tx: Tx,
    c: Omit<Posting, "referenceId"> & {
      kind: "top_up" | "bonus" | "test_credit" | "adjustment" | "write_off";
      referenceId: string | null;
    },
  ): Promise<{ applied: boolean }> {
    return { applied: await change(tx, "post_credit", { ...newTransaction(c), kind: c.kind }) };
  },

  /**
   * Takes credit back. A refund, dispute or adjustment takes paid credit first, then bonus; the shortfall, which is spent or held,
   * becomes a debt. `bonus` takes back the rest of a grant; its shortfall is spent and not owed.
   */
  async reverse(
    tx: Tx,
    r: Omit<Posting, "referenceId"> & { kind: "refund" | "dispute" | "bonus" | "adjustment"; referenceId: string | null },
  ): Promise<Reversal> {
    return toReversal(tx, "post_reversal", { ...newTransaction(r), kind: r.kind });
  },

  /**
   * Takes back the bonus of a refunded or disputed payment: from the remaining bonus, then from free paid credit. The shortfall is not
   * owed.
   */
  async returnBonus(tx: Tx, r: Posting): Promise<Reversal> {
    return toReversal(tx, "return_bonus", newTransaction(r));
  },

  /**
   * Withdraws free paid credit to the card.
   * @throws AppError insufficient_credit if it exceeds `withdrawableMicros`.
   */
  async withdraw(tx: Tx, w: Posting): Promise<{ applied: boolean }> {
    return { applied: await change(tx, "withdraw_credit", newTransaction(w)) };
  },

  /**
   * Moves free paid credit to another customer, who gets it as bonus: calls use it first, and it cannot be withdrawn. The transaction must
   * have locked both accounts.
   * @throws AppError insufficient_credit if it exceeds `withdrawableMicros`.
   */
  async giveCredit(tx: Tx, g: Posting & { receivedKey: string; beneficiaryId: string }): Promise<{ applied: boolean }> {
    const { key, receivedKey, customerId, beneficiaryId, amountMicros, referenceId, description } = g;
    const moved = { key, receivedKey, customerId, beneficiaryId, amountMicros, referenceId, description };
    return { applied: await change(tx, "give_credit", { transactionId: uuidv7(), receivedId: uuidv7(), ...moved }) };
  },

  /** The part of a gift that is neither spent nor held by a call, in micro-dollars. @param receivedKey of `giveCredit` */
  async giftLeft(tx: Tx, receivedKey: string): Promise<bigint> {
    return (await change<bigint | null>(tx, "gift_left", { receivedKey })) ?? 0n;
  },

  /** Moves what is left of a gift, at most `amountMicros`, back to its payer as paid credit. @returns what moved */
  async returnGift(
    tx: Tx,
    g: Posting & { returnedKey: string; receivedKey: string; payerId: string },
  ): Promise<{ returnedMicros: bigint }> {
    const { key, returnedKey, receivedKey, customerId, payerId, amountMicros, referenceId, description } = g;
    const moved = { key, returnedKey, receivedKey, customerId, payerId, amountMicros, referenceId, description };
    const returned = await change<bigint>(tx, "return_gift", { transactionId: uuidv7(), returnedId: uuidv7(), ...moved });
    return { returnedMicros: returned };
  },

  /** Takes all credit of an account that is being erased. @returns the amount in micro-dollars */
  async forfeit(tx: Tx, { key, customerId, description }: Pick<Posting, "key" | "customerId" | "description">): Promise<bigint> {
    return change(tx, "forfeit_credit", { transactionId: uuidv7(), key, customerId, description });
  },

  /**
   * Restores once, in full, what the transaction `restoredKey` took: a call's charge (`callChargeKey`), a failed refund or withdrawal, a
   * won dispute, or a returned bonus. Bonus is restored as bonus. Not applied if nothing was taken.
   * @throws AppError conflict if it was already restored under another key.
   */
  async restore(
    tx: Tx,
    { key, restoredKey, description }: { key: string; restoredKey: string; description: string },
  ): Promise<{ applied: boolean }> {
    return { applied: await change(tx, "restore_transaction", { transactionId: uuidv7(), key, restoredKey, description }) };
  },

  /** The account's lines about one call, oldest first: its charge and its refund (`callRefundKey`). */
  callEntries: (tx: Tx, customerId: string, callId: string): Promise<store.LedgerLine[]> =>
    store.readLinesOf(tx, customerId, [callChargeKey(callId), callRefundKey(callId)]),

  /** A call's hold, by the call's id. */
  readHold: store.readHold,

  /** Paid credit spent on calls before a time, minus refunds, in micro-dollars. */
  paidForCalls: store.readPaidForCalls,

  /**
   * The first `limit` payments, oldest first, that were credited while the balance minus debt was below `belowMicros`. Excludes the
   * account's first payment, because every account starts at zero.
   */
  lowTopUps: store.readLowTopUps,

  /** The account's matching lines, newest first. */
  transactions: readPage,

  /** The account's statement for a time span. Statements of the past never change. */
  statement: readStatement,
};

interface Reversal {
  applied: boolean;
  shortfallMicros: bigint;
}

/** The parameters of a function that writes a transaction. */
function newTransaction(of: Omit<Posting, "referenceId"> & { referenceId: string | null }): Record<string, unknown> {
  const { key, customerId, amountMicros, referenceId, description } = of;
  return { transactionId: uuidv7(), key, customerId, amountMicros, referenceId, description };
}

async function toReversal(tx: Tx, name: string, values: Record<string, unknown>): Promise<Reversal> {
  const row = only((await mapErrors(readFunction<{ applied: boolean; shortfall_micros: bigint }>(tx, name, values)))[0]);
  return { applied: row.applied, shortfallMicros: row.shortfall_micros };
}

function change<Value>(tx: Tx, name: string, values: Record<string, unknown>): Promise<Value> {
  return mapErrors(callFunction<Value>(tx, name, values));
}

/** Metrics of the ledger for monitoring, from its hourly check. */
export function ledgerMetrics({ handle, clock }: LedgerContext): Metric[] {
  return [
    {
      name: "farline_ledger_deviations",
      help: "Deviations found by the latest check of the ledger",
      read: async () => (await latestCheck(handle.db))?.deviations ?? 0,
      runbook: "ledger-drift",
      level: "page",
      warning: (deviations) =>
        deviations === 0 ? null : `The ledger does not add up in ${deviations} places. Each is in the log as "ledger drift".`,
    },
    {
      name: "farline_ledger_check_age_seconds",
      help: "Time since the latest check of the ledger; 0 before the first",
      read: async () => {
        const check = await latestCheck(handle.db);
        return check === null ? 0 : Math.max(0, Math.floor((clock.now().getTime() - check.at.getTime()) / 1_000));
      },
      runbook: "ledger-drift",
      level: "page",
      warning: (seconds) =>
        seconds < CHECK_LATE_SECONDS ? null : `The ledger was last checked ${Math.floor(seconds / 3_600)} hours ago.`,
    },
  ];
}
