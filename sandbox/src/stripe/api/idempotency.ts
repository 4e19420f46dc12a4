import type { FastifyRequest } from "fastify";
import { keptAnswer, takeKey, type KeptAnswer } from "../store/idempotency.store.ts";
import type { Tx } from "../store/schema.ts";
import { StripeApiError } from "./stripe-error.ts";

const MAX_KEY_LENGTH = 255;

/** Null without one. @throws StripeApiError for one that is too long */
export function idempotencyKeyOf(request: FastifyRequest): string | null {
  const key = request.headers["idempotency-key"];
  if (typeof key !== "string" || key === "") return null;
  if (key.length > MAX_KEY_LENGTH)
    throw new StripeApiError(400, `Idempotency keys may have ${MAX_KEY_LENGTH} characters at most.`);
  return key;
}

/**
 * What was answered to this key before; null when it is new.
 * @throws StripeApiError 409 while the first request is at work, 400 when that one asked for something else
 */
export async function earlierAnswer(
  tx: Tx,
  { key, fingerprint, nowMs }: { key: string; fingerprint: string; nowMs: number },
): Promise<KeptAnswer | null> {
  if (!(await takeKey(tx, key)))
    throw new StripeApiError(
      409,
      `There is currently another in-progress request using this Stripe Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}.`,
      { type: "idempotency_error", code: "idempotency_key_in_use" },
    );
  const kept = await keptAnswer(tx, key, nowMs);
  if (kept && kept.fingerprint !== fingerprint)
    throw new StripeApiError(
      400,
      `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
      { type: "idempotency_error" },
    );
  return kept;
}
