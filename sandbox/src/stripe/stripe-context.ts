import type { Pool, PoolClient } from "pg";
import type { Logger } from "pino";
import type { ChaosState } from "./events/chaos.ts";
import type { Cause } from "./events/stripe-event.ts";
import type { WebhookDelivery } from "./events/webhook-delivery.ts";
import { inTransaction } from "../database.ts";

/** Shared by the API, the hosted pages and the control panel. */
export interface StripeContext {
  readonly pool: Pool;
  readonly log: Logger;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Random number from 0 to 1 that decides which requests and events a fault affects. */
  readonly random: () => number;
  readonly chaos: ChaosState;
  readonly delivery: WebhookDelivery;
  readonly delivers: boolean;
  /** The API's bearer key. */
  readonly secretKey: string;
  /** Origin of the hosted pages, without a trailing slash. Known once the server listens. */
  readonly publicUrl: () => string;
  /** The app's origin, for links. */
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

/** Runs a change and records its events in one transaction, then starts delivering them. */
export async function change<Result>(context: StripeContext, run: (tx: PoolClient) => Promise<Result>): Promise<Result> {
  const result = await inTransaction(context.pool, run);
  context.delivery.wake();
  return result;
}
