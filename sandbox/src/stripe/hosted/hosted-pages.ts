import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { PoolClient } from "pg";
import type Stripe from "stripe";
import { acceptOnlyForms, type Html, isCrossSite } from "../../pages/html.ts";
import { layout, sendPage } from "../../pages/layout.ts";
import { FormError } from "../api/form-body.ts";
import { StripeApiError } from "../api/stripe-error.ts";
import { successUrl } from "../checkout/checkout-session.ts";
import type { Cause } from "../events/stripe-event.ts";
import { causeOf, change, type StripeContext } from "../stripe-context.ts";
import { noticeBody } from "./payment-page-html.ts";

/** With `redirect_first`, webhooks are delayed by this much after a payment on the page. */
const REDIRECT_HEAD_START_MS = 5000;
/** With `webhook_first`, the redirect waits this long at most for the webhooks. */
const MAX_WEBHOOK_WAIT_MS = 10_000;

/** Configures a scope for hosted pages: it accepts only forms and renders errors as pages. */
export function hostedPages(app: FastifyInstance, context: StripeContext): void {
  acceptOnlyForms(app);
  app.setErrorHandler((error, request, reply) => {
    const known =
      error instanceof FormError ||
      error instanceof StripeApiError ||
      ((error as { statusCode?: number }).statusCode ?? 500) < 500;
    if (!known) context.log.error({ err: error, path: request.routeOptions.url }, "payment page failed");
    const body = known
      ? noticeBody("This did not work", "The form could not be read. Go back and try again.", null)
      : noticeBody("Something went wrong", "Try again in a moment.", null);
    return sendHosted(reply, body, { status: known ? 400 : 500 });
  });
}

export function sendHosted(
  reply: FastifyReply,
  body: Html,
  options: { status?: number; formTarget?: string | null; script?: string } = {},
): FastifyReply {
  return sendPage(reply, layout({ title: "Payment", body, appUrl: null, script: options.script }), options);
}

/** @throws StripeApiError for a form submitted by another site */
export function refuseCrossSitePost(request: FastifyRequest): void {
  if (isCrossSite(request)) throw new StripeApiError(403, "Pay on the page itself.");
}

/** Applies the payer's action in one transaction, then delivers webhook and redirect in the configured order. */
export async function applyPayerAction<Outcome>(
  context: StripeContext,
  run: (tx: PoolClient, cause: Cause) => Promise<Outcome>,
): Promise<Outcome> {
  const { order } = context.chaos.current;
  const cause = causeOf(context, { headStartMs: order === "redirect_first" ? REDIRECT_HEAD_START_MS : 0 });
  const outcome = await change(context, (tx) => run(tx, cause));
  if (order === "webhook_first") await context.delivery.settled(cause.eventIds, MAX_WEBHOOK_WAIT_MS);
  return outcome;
}

/** The origin of a form's final redirect, which browsers check against `form-action` too. */
export function originOf(url: string | null): string | null {
  return url !== null && URL.canParse(url) ? new URL(url).origin : null;
}

export function unknownSession(): Html {
  return noticeBody("No such payment", "Check the link, or start the payment again.", null);
}

/** The page of a paid or expired session. */
export function closedBody(session: Stripe.Checkout.Session): Html {
  if (session.status === "complete") {
    const link = { href: successUrl(session), label: "Continue" };
    return session.mode === "payment"
      ? noticeBody("This payment is done", "You have been charged once.", link)
      : noticeBody("This card is saved", "There is nothing left to do here.", link);
  }
  const back = session.cancel_url === null ? null : { href: session.cancel_url, label: "Go back" };
  return noticeBody("This payment page has expired", "Nothing was charged. Go back and start again.", back);
}
