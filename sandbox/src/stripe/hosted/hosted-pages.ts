import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { PoolClient } from "pg";
import type Stripe from "stripe";
import type { Html } from "../../pages/html.ts";
import { layout, sendPage } from "../../pages/layout.ts";
import { FormError } from "../api/form-body.ts";
import { StripeApiError } from "../api/stripe-error.ts";
import { successUrl } from "../checkout/checkout-session.ts";
import type { Cause } from "../events/stripe-event.ts";
import { causeOf, change, type StripeContext } from "../stripe-context.ts";
import { noticeBody } from "./payment-page-html.ts";

/** With `redirect_first`, webhooks wait this long after a payment on the page. */
const REDIRECT_HEAD_START_MS = 5000;
/** With `webhook_first`, the person waits for them at most this long. */
const MAX_WEBHOOK_WAIT_MS = 10_000;

/** Prepares the server for pages with forms: accepts only forms and answers errors as text. */
export function hostedPages(app: FastifyInstance, context: StripeContext): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) =>
    done(null, body),
  );
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

/** @throws StripeApiError for a form that another site sends in the person's name */
export function refuseForeignPost(request: FastifyRequest): void {
  if (request.headers["sec-fetch-site"] === "cross-site") throw new StripeApiError(403, "Pay on the page itself.");
}

/** Does what the person asked for; then lets webhook or browser go first, as the faults say. */
export async function actAndLeave<Outcome>(
  context: StripeContext,
  run: (tx: PoolClient, cause: Cause) => Promise<Outcome>,
): Promise<Outcome> {
  const { order } = context.chaos.current;
  const cause = causeOf(context, { headStartMs: order === "redirect_first" ? REDIRECT_HEAD_START_MS : 0 });
  const outcome = await change(context, (tx) => run(tx, cause));
  if (order === "webhook_first") await context.delivery.settled(cause.eventIds, MAX_WEBHOOK_WAIT_MS);
  return outcome;
}

/** Where a form leads in the end; a browser checks a form's redirect against the policy, too. */
export function originOf(url: string | null): string | null {
  return url !== null && URL.canParse(url) ? new URL(url).origin : null;
}

export function unknownSession(): Html {
  return noticeBody("No such payment", "Check the link, or start the payment again.", null);
}

/** For a session that is paid or expired. */
export function closedBody(session: Stripe.Checkout.Session): Html {
  if (session.status === "complete") {
    const link = { href: successUrl(session), label: "Continue" };
    return session.mode === "payment"
      ? noticeBody("This payment is done", "It was paid already, and only once.", link)
      : noticeBody("This card is saved", "There is nothing left to do here.", link);
  }
  const back = session.cancel_url === null ? null : { href: session.cancel_url, label: "Go back" };
  return noticeBody("This payment page has expired", "Nothing was charged. Go back and start again.", back);
}
