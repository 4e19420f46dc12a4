import type { FastifyInstance } from "fastify";
import type { Pool } from "pg";
import type { Logger } from "pino";
import { calm, chaosChange, type Chaos } from "./chaos.ts";
import { expireDueSessions } from "./checkout-session.ts";
import { forgetOld } from "./object.store.ts";
import { paymentPage } from "./payment-page.ts";
import { createSchema } from "./schema.ts";
import { stripeApi } from "./stripe-api.ts";
import { causeOf, change, type StripeParts } from "./stripe-parts.ts";
import { WebhookDelivery, type WebhookOptions } from "./webhook-delivery.ts";

const EXPIRY_CHECK_MS = 5000;
const CLEANING_MS = 60 * 60_000;

export interface StripeSandboxOptions {
  pool: Pool;
  log: Logger;
  /** Unix milliseconds. */
  now: () => number;
  secretKey: string;
  webhook: WebhookOptions;
  publicUrl: () => string;
}

export interface StripeSandbox {
  readonly chaos: Chaos;
  close(): Promise<void>;
}

/**
 * Adds Stripe's API (/v1), the hosted payment page (/pay/…) and the chaos control to the server, and starts delivering webhooks.
 * Everything lives in the schema `sandbox_stripe`, so it survives a restart.
 */
export async function startStripeSandbox(app: FastifyInstance, options: StripeSandboxOptions): Promise<StripeSandbox> {
  await createSchema(options.pool);
  const chaos = calm();
  const delivery = new WebhookDelivery(options, options.webhook);
  const parts: StripeParts = { ...options, chaos, delivery, delivers: options.webhook.url !== null };
  await app.register(async (api) => stripeApi(api, parts), { prefix: "/v1" });
  await app.register(async (pages) => paymentPage(pages, parts));
  chaosRoutes(app, chaos);
  const timers = [
    every(EXPIRY_CHECK_MS, options.log, () => change(parts, (tx) => expireDueSessions(tx, causeOf(parts)))),
    every(CLEANING_MS, options.log, () => forgetOld(options.pool, options.now())),
  ];
  return {
    chaos,
    async close() {
      await Promise.all([...timers.map((stop) => stop()), delivery.close()]);
    },
  };
}

function chaosRoutes(app: FastifyInstance, chaos: Chaos): void {
  app.get("/sandbox/stripe/chaos", async () => chaos);
  app.post("/sandbox/stripe/chaos", async (request, reply) => {
    const wanted = chaosChange.safeParse(request.body);
    if (!wanted.success) return reply.status(422).send({ message: wanted.error.issues[0]?.message ?? "Not valid." });
    return Object.assign(chaos, wanted.data);
  });
  app.delete("/sandbox/stripe/chaos", async () => Object.assign(chaos, calm()));
}

/** Does `work` now and then, never twice at once. @returns a function that stops it and waits for what is under way. */
function every(intervalMs: number, log: Logger, work: () => Promise<unknown>): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  let stopped = false;
  let timer: NodeJS.Timeout;
  const next = () => {
    running = work()
      .catch((error: unknown) => log.error({ err: error }, "Stripe stand-in: periodic work failed"))
      .finally(() => {
        if (!stopped) timer = setTimeout(next, intervalMs);
      });
  };
  timer = setTimeout(next, intervalMs);
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await running;
  };
}
