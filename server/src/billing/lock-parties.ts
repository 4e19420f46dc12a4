import { lockStanding } from "../accounts/accounts.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Transaction } from "../platform/database/database.ts";
import { lockInvitation, type Invitation } from "../promotions/promotions.ts";

/**
 * Locks all that money of a customer's payment may move, in the order of ARCHITECTURE.md ("Lock order"): the customer, the
 * invitation, and the accounts of both its sides. To be called after the payment's lock and before anything is changed.
 * @returns the invitation that a payment of this customer was rewarded for
 */
export async function lockParties(
  tx: Transaction,
  { ledger }: { readonly ledger: Pick<Ledger, "lockAccounts" | "balance"> },
  customerId: string,
): Promise<Invitation | null> {
  await lockStanding(tx, customerId);
  const invitation = await lockInvitation(tx, customerId);
  await ledger.lockAccounts(tx, invitation === null ? [customerId] : [customerId, invitation.inviterId]);
  return invitation;
}
