import { findUnreadable } from "@farline/domain/text/readable-text.ts";
import type Stripe from "stripe";
import { AppError } from "../../platform/app-error.ts";

/** Stripe signs every delivery, repeats included, so an old signature is a replay. Signatures from the future are refused too. */
const MAX_SKEW_SECONDS = 300;

/** Maximum length of the stored id and type. */
const MAX_NAME_LENGTH = 255;

/**
 * Verifies and parses a webhook delivery. During a rotation any of the secrets is accepted.
 * @param delivery.body the exact bytes received
 * @throws AppError bad_signature if it is forged, stale, from the future or unsigned; malformed_request if it is signed but cannot be
 * stored
 */
export function readStripeEvent(
  stripe: Stripe,
  delivery: { body: Buffer; signature: string; secrets: readonly string[]; now: Date },
): Stripe.Event {
  const { body, signature, secrets, now } = delivery;
  const signedAt = Number(/(?:^|,)t=(\d{1,12})(?:,|$)/.exec(signature)?.[1] ?? Number.NaN);
  const skewSeconds = Math.abs(now.getTime() / 1000 - signedAt);
  // The library does not reject future timestamps.
  if (!(skewSeconds <= MAX_SKEW_SECONDS)) throw new AppError("bad_signature");
  let failure: unknown;
  for (const secret of secrets) {
    try {
      const event = stripe.webhooks.constructEvent(body, signature, secret, MAX_SKEW_SECONDS + 1, undefined, now.getTime());
      return storable(event);
    } catch (error) {
      if (error instanceof AppError) throw error;
      failure = error;
    }
  }
  throw new AppError("bad_signature", { cause: failure });
}

function storable(event: Stripe.Event): Stripe.Event {
  const { id, type } = event as { id: unknown; type: unknown };
  const named = [id, type].every((name) => typeof name === "string" && name.length <= MAX_NAME_LENGTH);
  if (!named || findUnreadable(event) !== null) throw new AppError("malformed_request", { reason: "event_unreadable" });
  return event;
}
