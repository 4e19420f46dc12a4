import type { Transaction } from "../../platform/database/database.ts";
import { findCustomer, lockCustomer, markEmailVerified } from "../record/customer.store.ts";
import { deleteEmailChange } from "../record/email-change.store.ts";

/**
 * Marks a customer's address as confirmed, because an operator has seen proof that it is theirs. Without hashes of a browser or network,
 * it earns no free first call.
 * @returns false if it was confirmed already
 */
export async function confirmAddress(tx: Transaction, { customerId, at }: { customerId: string; at: Date }): Promise<boolean> {
  await lockCustomer(tx, customerId);
  const customer = await findCustomer(tx, customerId);
  if (customer === undefined || customer.emailVerified) return false;
  // As when the customer confirms it: the change would be applied without this address's consent.
  await deleteEmailChange(tx, customerId);
  await markEmailVerified(tx, customerId, { identityHashes: [], now: at });
  return true;
}
