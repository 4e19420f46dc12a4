import type { FastifyInstance } from "fastify";
import type { Pool } from "pg";
import type { Logger } from "pino";
import type Stripe from "stripe";
import { createTables } from "../database.ts";
import { stripeApi } from "./api/stripe-api.ts";
import { expireDueSessions } from "./checkout/checkout-session.ts";
import { ChaosState } from "./events/chaos.ts";
import { WebhookDelivery, type WebhookOptions } from "./events/webhook-delivery.ts";
import { challengePage } from "./hosted/challenge-page.ts";
import { paymentPage } from "./hosted/payment-page.ts";
import { controlPanel } from "./panel/panel-routes.ts";
import { finishDueRefunds } from "./payments/refund.ts";
import { deleteExpired, findObject } from "./store/object.store.ts";
import { STRIPE_TABLES } from "./store/schema.ts";
import { causeOf, change, type StripeContext } from "./stripe-context.ts";
import { html, type Html } from "../pages/html.ts";
import { formatAmount } from "./checkout/presentment.ts";
import { sendHosted } from "./hosted/hosted-pages.ts";
import { noticeBody } from "./hosted/payment-page-html.ts";

const EXPIRY_CHECK_MS = 5000;

const REFUND_CHECK_MS = 1000;

const CLEANUP_MS = 60 * 60_000;

interface StripeSandboxOptions {
  pool: Pool;
  log: Logger;
  /** Unix milliseconds. */
  now: () => number;
  secretKey: string;
  webhook: WebhookOptions;
  publicUrl: () => string;
  appUrl: string | null;
}

interface StripeSandbox {
  close(): Promise<void>;
}

/**
 * Adds Stripe's API (/v1), the hosted pages (/pay/…, /challenge/…, /receipts/…) and the control panel (/sandbox/stripe) to the
 * server, and starts delivering webhooks. All state is in the schema `sandbox_stripe`, so it survives a restart.
 */
export async function startStripeSandbox(app: FastifyInstance, options: StripeSandboxOptions): Promise<StripeSandbox> {
  await createTables(options.pool, STRIPE_TABLES);
  const chaos = await ChaosState.load(options.pool);
  const skewSeconds = () => chaos.current.clockSkewSeconds;
  const delivery = new WebhookDelivery({ ...options, skewSeconds }, options.webhook);
  const context: StripeContext = { ...options, chaos, delivery, delivers: options.webhook.url !== null, random: Math.random };
  await app.register(async (api) => stripeApi(api, context), { prefix: "/v1" });
  await app.register(async (pages) => paymentPage(pages, context));
  await app.register(async (pages) => challengePage(pages, context));
  await app.register(async (panel) => controlPanel(panel, context));
  receiptPage(app, context);
  const timers = [
    every(EXPIRY_CHECK_MS, options.log, () => change(context, (tx) => expireDueSessions(tx, causeOf(context)))),
    every(REFUND_CHECK_MS, options.log, () => change(context, (tx) => finishDueRefunds(tx, causeOf(context)))),
    every(CLEANUP_MS, options.log, () => deleteExpired(options.pool, options.now())),
  ];
  return {
    async close() {
      await Promise.all([...timers.map((stop) => stop()), delivery.close()]);
    },
  };
}

/** Calls `run` periodically, one run at a time. @returns a function that stops it and waits for a run in progress */
function every(intervalMs: number, log: Logger, run: () => Promise<unknown>): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  let stopped = false;
  let timer: NodeJS.Timeout;
  const next = () => {
    running = run()
      .catch((error: unknown) => log.error({ err: error }, "Stripe stand-in: periodic job failed"))
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

/** The page at a charge's `receipt_url`. */
function receiptPage(app: FastifyInstance, context: StripeContext): void {
  app.get<{ Params: { id: string } }>("/receipts/:id", { config: { access: "development" } }, async (request, reply) => {
    const found = await findObject<Stripe.Charge>(context.pool, "charge", request.params.id);
    if (!found?.data.paid) return sendHosted(reply, noticeBody("No such receipt", "Check the link.", null), { status: 404 });
    return sendHosted(reply, receiptBody(found.data));
  });
}

function receiptBody(charge: Stripe.Charge): Html {
  const { card } = charge.payment_method_details ?? {};
  return html` <div class="card">
    <h1>Receipt</h1>
    <p>
      ${formatAmount(charge.amount, charge.currency)}, paid on ${new Date(charge.created * 1000).toISOString().slice(0, 10)} with
      the test card ending in ${card?.last4}.
    </p>
    ${charge.amount_refunded > 0 && html`<p>${formatAmount(charge.amount_refunded, charge.currency)} has been refunded.</p>`}
    <p class="quiet">Sandbox: no real money moved.</p>
  </div>`;
}
