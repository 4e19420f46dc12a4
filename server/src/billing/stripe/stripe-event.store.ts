import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import { deleteRows } from "../../platform/database/in-batches.ts";

/** Records an event's arrival. @returns whether it has already been processed completely */
export async function receiveEvent(tx: Tx, event: { id: string; type: string; now: Date }): Promise<boolean> {
  await tx
    .insertInto("stripe_event")
    .values({ event_id: event.id, type: event.type, received_at: event.now, done_at: null })
    .onConflict((conflict) => conflict.column("event_id").doNothing())
    .execute();
  const row = await tx.selectFrom("stripe_event").select("done_at").where("event_id", "=", event.id).executeTakeFirstOrThrow();
  return row.done_at !== null;
}

export async function finishEvent(tx: Tx, eventId: string, now: Date): Promise<void> {
  await tx.updateTable("stripe_event").set({ done_at: now }).where("event_id", "=", eventId).execute();
}

export async function forgetEvents(tx: Tx, receivedBefore: Date, signal: AbortSignal): Promise<void> {
  await deleteRows(tx, signal, { from: "stripe_event", where: sql`received_at < ${receivedBefore}` });
}
