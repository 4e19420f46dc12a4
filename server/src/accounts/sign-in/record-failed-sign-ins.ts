import type { DatabaseHandle } from "../../platform/database/database.ts";
import { takeFailedSignIns } from "./failed-sign-in.store.ts";
import { insertSecurityEvent } from "../activity/security-event.store.ts";

const MAX_PER_RUN = 200;

/** Records the wrong passwords since the last run in their accounts; those for unknown addresses are dropped. */
export async function recordFailedSignIns({ handle }: { handle: DatabaseHandle }): Promise<void> {
  await handle.db.transaction().execute(async (tx) => {
    for (const { customerId, device, network, at } of await takeFailedSignIns(tx, MAX_PER_RUN))
      if (customerId !== null)
        await insertSecurityEvent(tx, { customerId, kind: "sign_in_failed", from: { device, network }, at });
  });
}
