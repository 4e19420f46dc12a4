import type { FreezeReason } from "@farline/contract/constants.ts";
import { enqueueMail } from "../mail/mail.ts";
import type { Tx } from "../platform/database/database.ts";
import {
  type Customer,
  closeFreezeReview,
  findFreeze,
  hasFreezeReview,
  openReview,
  storeFreeze,
} from "./record/customer.store.ts";
import { insertSecurityEvent } from "./record/security-event.store.ts";
import { AppError } from "../platform/app-error.ts";

interface StatusChange {
  readonly customerId: string;
  /** For our records; never shown to the customer. */
  readonly reason: string;
  readonly at: Date;
}

/**
 * Stops an account's calls, top-ups and withdrawals; signing in and reading stay possible.
 * Mails the owner. A job of the calls subject ends running calls.
 * @param change.because the reason shown to the owner
 * @returns false if already frozen
 */
export function freezeCustomer(tx: Tx, change: StatusChange & { readonly because: FreezeReason }): Promise<boolean> {
  return changeStatus(tx, change, change.because);
}

/**
 * Freezes an account until an operator has decided about it, and puts that review into the operators' queue. A new finding about an
 * account that is frozen already needs a new decision.
 */
export async function freezeForReview(tx: Tx, change: StatusChange & { readonly because: FreezeReason }): Promise<void> {
  await freezeCustomer(tx, change);
  const { customerId, reason, at } = change;
  await openReview(tx, { customerId, reason, at });
}

/** Whether a dispute, a fraud warning or a shared card has frozen the account. */
export async function isFrozenForPayment(tx: Tx, customerId: string): Promise<boolean> {
  return (await hasFreezeReview(tx, customerId)) || (await findFreeze(tx, customerId)) === "payment";
}

/** Unfreezes an account and notifies its owner. @returns false if it was not frozen */
export async function unfreezeCustomer(tx: Tx, change: StatusChange): Promise<boolean> {
  await closeFreezeReview(tx, change.customerId);
  return changeStatus(tx, change, null);
}

async function changeStatus(tx: Tx, { customerId, reason, at }: StatusChange, because: FreezeReason | null): Promise<boolean> {
  const customer = await storeFreeze(tx, customerId, because);
  if (customer === undefined) return false;
  const event = because === null ? "account_unfrozen" : "account_frozen";
  await insertSecurityEvent(tx, { customerId, kind: event, detail: reason, from: null, at });
  // A guest has no account to read about.
  if (customer.isGuest) return true;
  const { name } = customer;
  await enqueueMail(tx, {
    ...(because === null
      ? { template: "account_notice", data: { name, event: "account_unfrozen" } }
      : { template: "account_locked", data: { name, because } }),
    to: customer.email,
    language: customer.language,
    key: `account ${event} ${customerId} ${at.getTime()}`,
    at,
  });
  return true;
}

/**
 * Refuses calls and payments of accounts that are frozen or closing.
 * @param whenFrozen the text that says what a frozen account cannot do
 * @throws AppError account_frozen, account_closing
 */
export function requireOpen(
  { status }: Pick<Customer, "status">,
  whenFrozen: "account_frozen" | "calls_while_frozen" = "account_frozen",
): void {
  if (status === "frozen") throw new AppError("account_frozen", { reason: whenFrozen });
  if (status === "closing") throw new AppError("account_closing");
}
