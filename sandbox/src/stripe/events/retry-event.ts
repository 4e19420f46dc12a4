import type Stripe from "stripe";
import { noSuch, StripeApiError } from "../api/stripe-error.ts";
import { findObject } from "../store/object.store.ts";
import type { Tx } from "../../database.ts";
import { queueDelivery } from "./delivery.store.ts";
import type { Cause } from "./stripe-event.ts";

/** Delivers an event again, unaffected by faults. @throws StripeApiError */
export async function retryEvent(tx: Tx, cause: Cause, id: string): Promise<Stripe.EventBase> {
  const found = await findObject<Stripe.EventBase>(tx, "event", id, true);
  if (!found) throw noSuch("event", id);
  if (!cause.delivers) throw new StripeApiError(400, "There is no webhook endpoint.");
  await queueDelivery(tx, id, new Date(cause.nowMs));
  return found.data;
}
