import { enqueueMail } from "../mail/mail.ts";
import type { Tx } from "../platform/database/database.ts";
import { storeStatus } from "./accounts.store.ts";
import { insertSecurityEvent } from "./activity/security-event.store.ts";

interface StatusChange {
  readonly customerId: string;
  /** For our records; never shown to the customer. */
  readonly reason: string;
  readonly at: Date;
}

/**
 * Stops an account's calls, top-ups and withdrawals until an operator has reviewed it; signing in and reading stay possible.
 * The owner gets a mail. Calls that are running are cut by the calls' own job.
 * @returns false if already frozen
 */
export function freezeCustomer(tx: Tx, change: StatusChange): Promise<boolean> {
  return changeStatus(tx, change, "frozen");
}

/** Unfreezes an account and notifies its owner. @returns false when it was not frozen */
export function unfreezeCustomer(tx: Tx, change: StatusChange): Promise<boolean> {
  return changeStatus(tx, change, "active");
}

async function changeStatus(tx: Tx, { customerId, reason, at }: StatusChange, status: "active" | "frozen"): Promise<boolean> {
  const customer = await storeStatus(tx, customerId, status);
  if (customer === undefined) return false;
  const event = status === "frozen" ? "account_frozen" : "account_unfrozen";
  await insertSecurityEvent(tx, { customerId, kind: event, detail: reason, from: null, at });
  await enqueueMail(tx, {
    template: "account_notice",
    data: { name: customer.name, event },
    to: customer.email,
    language: customer.language,
    key: `account ${event} ${customerId} ${at.getTime()}`,
    at,
  });
  return true;
}
