import { takeFailedSignIns } from "./failed-sign-in.store.ts";
import { insertSecurityEvent } from "../record/security-event.store.ts";
import type { Context } from "../../context.ts";

const MAX_PER_RUN = 200;

/** Records the wrong passwords since the last run in their accounts; those for unknown addresses are dropped. */
export async function recordFailedSignIns(ctx: Context): Promise<void> {
  await ctx.transaction(async (tx) => {
    for (const { customerId, device, network, at } of await takeFailedSignIns(tx, MAX_PER_RUN))
      if (customerId !== null)
        await insertSecurityEvent(tx, { customerId, kind: "sign_in_failed", from: { device, network }, at });
  });
}
