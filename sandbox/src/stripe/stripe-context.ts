import type { Pool, PoolClient } from "pg";
import type { Logger } from "pino";
import type { ChaosSwitch } from "./events/chaos.ts";
import type { Cause } from "./events/stripe-event.ts";
import type { WebhookDelivery } from "./events/webhook-delivery.ts";
import { inTransaction } from "./store/schema.ts";

/** What the API, the hosted pages and the control panel work with. */
export interface StripeContext {
  readonly pool: Pool;
  readonly log: Logger;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** 0 to 1: decides which requests and events a fault strikes. */
  readonly random: () => number;
  readonly chaos: ChaosSwitch;
  readonly delivery: WebhookDelivery;
  readonly delivers: boolean;
  /** Bearer key that the API accepts. */
  readonly secretKey: string;
  /** Origin of the hosted pages, without a slash at the end. Known once the server listens. */
  readonly publicUrl: () => string;
  /** Where the app lives, for links. */
  readonly appUrl: string | null;
}

export function causeOf(
  context: StripeContext,
  request: { requestId?: string; idempotencyKey?: string | null; headStartMs?: number } = {},
): Cause {
  return {
    nowMs: context.now(),
    requestId: request.requestId ?? null,
    idempotencyKey: request.idempotencyKey ?? null,
    chaos: context.chaos.current,
    random: context.random,
    delivers: context.delivers,
    headStartMs: request.headStartMs ?? 0,
    eventIds: [],
  };
}

/** Makes a change and its events in one transaction, then lets the events go. */
export async function change<Result>(context: StripeContext, run: (tx: PoolClient) => Promise<Result>): Promise<Result> {
  const result = await inTransaction(context.pool, run);
  context.delivery.wake();
  return result;
}
