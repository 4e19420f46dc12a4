import { lockStanding } from "../../accounts/accounts.ts";
import type { Context } from "../../context.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { lockInvitation, type Invitation } from "../../promotions/promotions.ts";

/**
 * Locks everything that a change of a customer's payment may affect, in the order of ARCHITECTURE.md ("Lock order"): the customer, the
 * invitation, and both customers' accounts. Call it after locking the payment and before any change.
 * @returns the rewarded invitation of this customer
 */
export async function lockParties(tx: Transaction, { ledger }: Context, customerId: string): Promise<Invitation | null> {
  await lockStanding(tx, customerId);
  const { invitation, inviterId } = await lockInvitation(tx, customerId);
  await ledger.lockAccounts(tx, inviterId === null ? [customerId] : [customerId, inviterId]);
  return invitation;
}
