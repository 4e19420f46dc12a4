import type { App } from "../platform/http.ts";
import type { Job } from "../platform/jobs.ts";
import type { BillingParts } from "./billing-parts.ts";
import { accountRoutes, purchaseRoutes } from "./billing-routes.ts";
import { handleStripeEvent } from "./handle-stripe-event.ts";
import { pollPayments } from "./poll-payments.ts";
import { readStripeEvent } from "./read-stripe-event.ts";
import { forgetEvents } from "./stripe-event.store.ts";

export type { BillingParts, Payer } from "./billing-parts.ts";
export { createStripe } from "./create-stripe.ts";

const EVENT_LIMIT_BYTES = 256 * 1024;
const POLL_EVERY_MS = 30_000;
const FORGET_EVERY_MS = 6 * 60 * 60 * 1000;
/** Stripe repeats an event for three days and lists it for thirty. */
const EVENTS_KEPT_MS = 35 * 24 * 60 * 60 * 1000;

/** Balance, account lines, packages, checkout and the payment provider's webhook. */
export function billingRoutes(app: App, parts: BillingParts): void {
  accountRoutes(app, parts);
  purchaseRoutes(app, parts);
  // A scope of its own: the signature is over the bytes as they came, so they must not be parsed here.
  app.register(async (scope) => webhookRoute(scope as unknown as App, parts));
}

/** The poller of open payments, and the clean-up of old events. */
export function billingJobs(parts: BillingParts): Job[] {
  return [
    { name: "poll-payments", everyMs: POLL_EVERY_MS, run: (signal) => pollPayments(parts, signal) },
    {
      name: "forget-stripe-events",
      everyMs: FORGET_EVERY_MS,
      run: () => forgetEvents(parts.handle.db, new Date(parts.clock.now().getTime() - EVENTS_KEPT_MS)),
    },
  ];
}

function webhookRoute(scope: App, parts: BillingParts): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("application/json", { parseAs: "buffer", bodyLimit: EVENT_LIMIT_BYTES }, (_request, body, done) =>
    done(null, body),
  );
  scope.post("/api/webhooks/stripe", { bodyLimit: EVENT_LIMIT_BYTES }, async (request) => {
    const event = readStripeEvent(parts.stripe, {
      body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
      signature: String(request.headers["stripe-signature"] ?? ""),
      secrets: parts.config.stripe.webhookSecrets,
      now: parts.clock.now(),
    });
    await handleStripeEvent(parts, event);
    return { received: true };
  });
}
