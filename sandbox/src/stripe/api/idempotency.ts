import type { FastifyRequest } from "fastify";
import { findResponse, lockKey, type StoredResponse } from "../store/idempotency.store.ts";
import type { Tx } from "../../database.ts";
import { StripeApiError } from "./stripe-error.ts";

const MAX_KEY_LENGTH = 255;

/** The Idempotency-Key header; null without one. @throws StripeApiError if it is too long */
export function idempotencyKeyOf(request: FastifyRequest): string | null {
  const key = request.headers["idempotency-key"];
  if (typeof key !== "string" || key === "") return null;
  if (key.length > MAX_KEY_LENGTH)
    throw new StripeApiError(400, `Idempotency keys may have ${MAX_KEY_LENGTH} characters at most.`);
  return key;
}

/**
 * The response stored for this key; null if the key is new.
 * @throws StripeApiError 409 while the first request is in progress, 400 if it had other parameters
 */
export async function earlierResponse(
  tx: Tx,
  { key, fingerprint, nowMs }: { key: string; fingerprint: string; nowMs: number },
): Promise<StoredResponse | null> {
  if (!(await lockKey(tx, key)))
    throw new StripeApiError(
      409,
      `There is currently another in-progress request using this Stripe Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}.`,
      { type: "idempotency_error", code: "idempotency_key_in_use" },
    );
  const kept = await findResponse(tx, key, nowMs);
  if (kept && kept.fingerprint !== fingerprint)
    throw new StripeApiError(
      400,
      `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
      { type: "idempotency_error" },
    );
  return kept;
}
