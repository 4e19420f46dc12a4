import type Stripe from "stripe";
import { AppError } from "../platform/app-error.ts";

/** Stripe signs each delivery anew, so an old signature is a replay, and one from the future is worth no more. */
const MOST_SKEW_SECONDS = 300;

/**
 * Verifies a webhook delivery and reads it. While secrets are changed, any of them will do.
 * @param delivery.body exactly the bytes received
 * @throws AppError bad_signature when it is forged, stale, from the future or not signed at all
 */
export function readStripeEvent(
  stripe: Stripe,
  delivery: { body: Buffer; signature: string; secrets: readonly string[]; now: Date },
): Stripe.Event {
  const { body, signature, secrets, now } = delivery;
  const signedAt = Number(/(?:^|,)t=(\d{1,12})(?:,|$)/.exec(signature)?.[1] ?? Number.NaN);
  const skewSeconds = Math.abs(now.getTime() / 1000 - signedAt);
  // The library only looks at the age.
  if (!(skewSeconds <= MOST_SKEW_SECONDS)) throw new AppError("bad_signature", "The signature of this event is not valid.");
  let failure: unknown;
  for (const secret of secrets) {
    try {
      return stripe.webhooks.constructEvent(body, signature, secret, MOST_SKEW_SECONDS + 1, undefined, now.getTime());
    } catch (error) {
      failure = error;
    }
  }
  throw new AppError("bad_signature", "The signature of this event is not valid.", { cause: failure });
}
