import { endCardAccess } from "../../billing/billing.ts";
import { endCallAccess } from "../../calls/calls.ts";
import type { Transaction } from "../../platform/database/database.ts";

/**
 * Ends what calls and pays for an account: voice sign-ins, the number that calls show, automatic top-up.
 * @param withCards also the saved cards, which stay while the account can still be kept
 */
export async function endOutsideAccess(
  tx: Transaction,
  { customerId, at, withCards }: { customerId: string; at: Date; withCards: boolean },
): Promise<void> {
  await endCallAccess(tx, { customerId, firstProof: withCards, at });
  await endCardAccess(tx, { customerId, firstProof: withCards, at });
}
