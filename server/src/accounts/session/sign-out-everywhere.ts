import type { Tx } from "../../platform/database/database.ts";
import { insertSecurityEvent, type SecurityEvent } from "../record/security-event.store.ts";
import { endAccess } from "./end-access.ts";

/** Ends a customer's sessions, except those named, and records it. @param order.from null if an operator did it */
export async function signOutEverywhere(
  tx: Tx,
  order: {
    customerId: string;
    exceptSession: string | null;
    exceptBrowser: Buffer | null;
    from: SecurityEvent["from"];
    at: Date;
  },
): Promise<void> {
  const { customerId, from, at } = order;
  const by = from === null ? "signed_out_by_operator" : "signed_out_elsewhere";
  await endAccess(tx, order, { by, at });
  await insertSecurityEvent(tx, { customerId, kind: "signed_out_everywhere", from, at });
}
