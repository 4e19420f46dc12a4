import type { DatabaseHandle } from "../../platform/database/database.ts";
import { takeFailedSignIns } from "./failed-sign-in.store.ts";
import { insertSecurityEvent } from "../activity/security-event.store.ts";

const MOST_PER_RUN = 200;

/** Writes the wrong passwords since the last run to the accounts they were tried on; those of nobody are forgotten. */
export async function recordFailedSignIns({ handle }: { handle: DatabaseHandle }): Promise<void> {
  await handle.db.transaction().execute(async (tx) => {
    for (const { customerId, device, network, at } of await takeFailedSignIns(tx, MOST_PER_RUN))
      if (customerId !== null)
        await insertSecurityEvent(tx, { customerId, kind: "sign_in_failed", from: { device, network }, at });
  });
}
