import type { Pool, PoolClient } from "pg";
import type { Logger } from "pino";
import type { Chaos } from "./chaos.ts";
import { inTransaction } from "./schema.ts";
import type { Cause } from "./stripe-event.ts";
import type { WebhookDelivery } from "./webhook-delivery.ts";

/** What the API and the payment page work with. */
export interface StripeParts {
  readonly pool: Pool;
  readonly log: Logger;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly chaos: Chaos;
  readonly delivery: WebhookDelivery;
  readonly delivers: boolean;
  /** Bearer key that the API accepts. */
  readonly secretKey: string;
  /** Origin of the hosted pages, without a slash at the end. Known once the server listens. */
  readonly publicUrl: () => string;
}

export function causeOf(parts: StripeParts, request: { requestId?: string; idempotencyKey?: string | null } = {}): Cause {
  return {
    nowMs: parts.now(),
    requestId: request.requestId ?? null,
    idempotencyKey: request.idempotencyKey ?? null,
    chaos: parts.chaos,
    delivers: parts.delivers,
  };
}

/** Makes a change and its events in one transaction, then lets the events go. */
export async function change<Result>(parts: StripeParts, work: (tx: PoolClient) => Promise<Result>): Promise<Result> {
  const result = await inTransaction(parts.pool, work);
  parts.delivery.wake();
  return result;
}
