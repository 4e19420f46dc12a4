import type Stripe from "stripe";
import type { Chaos } from "./chaos.ts";
import { insertObject } from "./object.store.ts";
import type { Tx } from "./schema.ts";
import { newId } from "./stripe-id.ts";

/** The version this stand-in speaks; the compiler holds it to the SDK's. */
export const API_VERSION: typeof Stripe.API_VERSION = "2026-10-28.endive";

export type EventType =
  | "checkout.session.completed"
  | "checkout.session.expired"
  | "payment_intent.created"
  | "payment_intent.succeeded"
  | "payment_intent.payment_failed"
  | "charge.succeeded"
  | "charge.failed"
  | "charge.refunded"
  | "refund.created"
  | "customer.created";

/** What a change needs to know of its surroundings. */
export interface Cause {
  nowMs: number;
  requestId: string | null;
  idempotencyKey: string | null;
  chaos: Chaos;
  /** False while nobody listens: events are then only kept for listing. */
  delivers: boolean;
}

export function seconds(cause: Cause): number {
  return Math.floor(cause.nowMs / 1000);
}

/** Writes an event beside the change it tells of, in the same transaction, with its place in the delivery queue. */
export async function recordEvent(tx: Tx, cause: Cause, type: EventType, object: { id: string }): Promise<void> {
  const event = {
    id: newId("evt_"),
    object: "event",
    api_version: API_VERSION,
    created: seconds(cause),
    data: { object: object },
    livemode: false,
    pending_webhooks: cause.delivers ? 1 : 0,
    request: { id: cause.requestId, idempotency_key: cause.idempotencyKey },
    type,
  } satisfies Stripe.EventBase;
  await insertObject(tx, event);
  const deliveries = !cause.delivers || cause.chaos.lose ? 0 : cause.chaos.duplicate ? 2 : 1;
  for (let i = 0; i < deliveries; i++)
    await tx.query("insert into sandbox_stripe.delivery (event_id, next_at) values ($1, $2)", [
      event.id,
      new Date(cause.nowMs + cause.chaos.delayMs),
    ]);
}
