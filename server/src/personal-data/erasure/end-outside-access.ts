import { endCardAccess } from "../../billing/billing.ts";
import { endCallAccess } from "../../calls/calls.ts";
import type { Transaction } from "../../platform/database/database.ts";

/**
 * Ends an account's ability to call and pay: voice credentials, caller ids, automatic top-up.
 * @param withCards also removes saved cards, which stay while the erasure can still be cancelled
 */
export async function endOutsideAccess(
  tx: Transaction,
  { customerId, at, withCards }: { customerId: string; at: Date; withCards: boolean },
): Promise<void> {
  await endCallAccess(tx, { customerId, firstProof: withCards, at });
  await endCardAccess(tx, { customerId, firstProof: withCards, at });
}
