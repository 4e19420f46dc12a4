import type Stripe from "stripe";
import { insertObject } from "../store/object.store.ts";
import type { Tx } from "../../database.ts";
import { newId } from "../store/stripe-id.ts";
import type { Chaos } from "./chaos.ts";
import { queueDelivery } from "./delivery.store.ts";

/** The API version; the type keeps it equal to the SDK's. */
export const API_VERSION: typeof Stripe.API_VERSION = "2026-10-28.endive";

/** The request that causes a change, and what determines its events. */
export interface Cause {
  nowMs: number;
  requestId: string | null;
  idempotencyKey: string | null;
  chaos: Chaos;
  /** From 0 to 1. */
  random: () => number;
  /** False without a webhook endpoint: events can then only be listed. */
  delivers: boolean;
  /** Delays every delivery, so that a redirect arrives first. */
  headStartMs: number;
  /** Ids of the recorded events, in order. */
  readonly eventIds: string[];
}

export function seconds(cause: Cause): number {
  return Math.floor(cause.nowMs / 1000);
}

/**
 * Stores an event and queues its delivery, in the transaction of the change.
 * @param previous the previous values of changed fields
 */
export async function recordEvent(
  tx: Tx,
  cause: Cause,
  type: Stripe.Event["type"],
  { object, previous }: { object: { id: string }; previous?: Readonly<Record<string, unknown>> },
): Promise<void> {
  const event = {
    id: newId("evt_"),
    object: "event",
    api_version: API_VERSION,
    created: seconds(cause),
    data: { object, ...(previous && { previous_attributes: previous }) },
    livemode: false,
    pending_webhooks: cause.delivers ? 1 : 0,
    request: { id: cause.requestId, idempotency_key: cause.idempotencyKey },
    type,
  } satisfies Stripe.EventBase;
  await insertObject(tx, event);
  cause.eventIds.push(event.id);
  for (const delayMs of delaysOf(cause)) await queueDelivery(tx, event.id, new Date(cause.nowMs + delayMs));
}

/** The delay of each delivery of an event. */
function delaysOf({ chaos, delivers, random, headStartMs }: Cause): number[] {
  const occurs = (percent: number) => random() * 100 < percent;
  if (!delivers || occurs(chaos.lose)) return [];
  const delay = () => headStartMs + chaos.delayMs + Math.floor(random() * chaos.reorderMs);
  return occurs(chaos.duplicate) ? [delay(), delay()] : [delay()];
}
