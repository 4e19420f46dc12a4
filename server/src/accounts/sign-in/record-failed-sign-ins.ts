import { dequeueFailedSignIns } from "./failed-sign-in.store.ts";
import { insertSecurityEvent } from "../record/security-event.store.ts";
import type { Context } from "../../context.ts";

const MAX_PER_RUN = 200;

/** Records failed sign-ins since the last run as events of their accounts, and drops those for unknown addresses. */
export async function recordFailedSignIns(ctx: Context): Promise<void> {
  await ctx.transaction(async (tx) => {
    for (const { customerId, device, network, at } of await dequeueFailedSignIns(tx, MAX_PER_RUN))
      if (customerId !== null)
        await insertSecurityEvent(tx, { customerId, kind: "sign_in_failed", from: { device, network }, at });
  });
}
