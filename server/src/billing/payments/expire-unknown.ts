import { releasePromo } from "../../promotions/promotions.ts";
import type { OperatorDependencies } from "../billing-dependencies.ts";
import { markExpired } from "../record/payment.store.ts";

/** Ends a payment that the provider does not know. Its promo code can be used for the next one. */
export async function expireUnknown(deps: Pick<OperatorDependencies, "handle" | "clock">, paymentId: string): Promise<void> {
  const now = deps.clock.now();
  await deps.handle.db.transaction().execute(async (tx) => {
    if (await markExpired(tx, paymentId, now)) await releasePromo(tx, paymentId, now);
  });
}
