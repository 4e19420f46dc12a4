import { lockStanding } from "../../accounts/accounts.ts";
import type { Context } from "../../context.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { lockInvitation, type Invitation } from "../../promotions/promotions.ts";

/**
 * Locks everything that a change of a customer's payment may affect, in the order of ARCHITECTURE.md ("Lock order"): the customer, the
 * invitation, and all customers' accounts. Call it after locking the payment and before any change.
 * @param parties from `partiesOf`: the customer, and whom the payment was for
 * @returns the rewarded invitation of this customer
 */
export async function lockParties(
  tx: Transaction,
  { ledger }: Context,
  [customerId, ...beneficiaries]: readonly [string, ...string[]],
): Promise<Invitation | null> {
  for (const id of [customerId, ...beneficiaries].toSorted()) await lockStanding(tx, id);
  const { invitation, inviterId } = await lockInvitation(tx, customerId);
  await ledger.lockAccounts(tx, [customerId, ...beneficiaries, ...(inviterId === null ? [] : [inviterId])]);
  return invitation;
}
