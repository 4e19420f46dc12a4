import type Stripe from "stripe";
import { insertObject } from "../store/object.store.ts";
import type { Tx } from "../store/schema.ts";
import { newId } from "../store/stripe-id.ts";
import type { Chaos } from "./chaos.ts";
import { queueDelivery } from "./delivery.store.ts";

/** The version this stand-in speaks; the compiler holds it to the SDK's. */
export const API_VERSION: typeof Stripe.API_VERSION = "2026-10-28.endive";

/** What a change needs to know of its surroundings. */
export interface Cause {
  nowMs: number;
  requestId: string | null;
  idempotencyKey: string | null;
  chaos: Readonly<Chaos>;
  /** 0 to 1. */
  random: () => number;
  /** False while nobody listens: events are then only kept for listing. */
  delivers: boolean;
  /** Added to the delay of every delivery. */
  headStartMs: number;
  /** Ids of the events that were written, in their order. */
  readonly eventIds: string[];
}

export function seconds(cause: Cause): number {
  return Math.floor(cause.nowMs / 1000);
}

/**
 * Writes an event beside the change it tells of, in the same transaction, with its place in the delivery queue.
 * @param previous what changed fields were before
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

/** One entry for each time the event is to be delivered. */
function delaysOf({ chaos, delivers, random, headStartMs }: Cause): number[] {
  const strikes = (percent: number) => random() * 100 < percent;
  if (!delivers || strikes(chaos.lose)) return [];
  const delay = () => headStartMs + chaos.delayMs + Math.floor(random() * chaos.reorderMs);
  return strikes(chaos.duplicate) ? [delay(), delay()] : [delay()];
}
