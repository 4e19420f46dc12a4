import type { FastifyInstance, FastifyReply } from "fastify";
import type Stripe from "stripe";
import type { Html } from "../pages/html.ts";
import { html } from "../pages/html.ts";
import { layout, sendPage } from "../pages/layout.ts";
import type { SessionHidden } from "./build-session.ts";
import { checkCardForm, readCardForm, type CardForm } from "./card-form.ts";
import { loadSession, paySession, successUrl } from "./checkout-session.ts";
import { decodeForm, FormError } from "./form-body.ts";
import { findObject } from "./object.store.ts";
import { formatAmount, noticeBody, payBody, type PayPage } from "./payment-page-html.ts";
import { StripeApiError } from "./stripe-error.ts";
import { causeOf, change, type StripeParts } from "./stripe-parts.ts";
import { findTestCard, groupedCardNumber } from "./test-cards.ts";

type Session = Stripe.Checkout.Session;
type Route = { Params: { id: string }; Querystring: { card?: unknown } };
const EMPTY: CardForm = { email: "", number: "", expiry: "", cvc: "", name: "" };

/** The hosted page that a session's `url` leads to, and the receipt of a charge. */
export async function paymentPage(app: FastifyInstance, parts: StripeParts): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) =>
    done(null, body),
  );
  app.setErrorHandler((error, request, reply) => {
    const known =
      error instanceof FormError ||
      error instanceof StripeApiError ||
      ((error as { statusCode?: number }).statusCode ?? 500) < 500;
    if (!known) parts.log.error({ err: error, path: request.routeOptions.url }, "payment page failed");
    const body = known
      ? noticeBody("This did not work", "The form could not be read. Go back and try again.", null)
      : noticeBody("Something went wrong", "Try again in a moment.", null);
    return send(reply, body, { status: known ? 400 : 500 });
  });
  const send = (reply: FastifyReply, body: Html, options: { status?: number; formTarget?: string | null } = {}) =>
    sendPage(reply, layout({ title: "Payment", body, appUrl: null }), options);
  const load = (id: string) => change(parts, (tx) => loadSession(tx, causeOf(parts), id));

  app.get<Route>("/pay/:id", async (request, reply) => {
    const found = await load(request.params.id);
    if (!found) return send(reply, unknownSession(), { status: 404 });
    if (found.session.status !== "open")
      return send(reply, closedBody(found.session), { status: found.session.status === "expired" ? 410 : 200 });
    const page = { ...pageOf(found), form: prefilled(request.query.card) };
    return send(reply, payBody(page), { formTarget: originOf(found.session) });
  });

  app.post<Route>("/pay/:id", async (request, reply) => {
    if (request.headers["sec-fetch-site"] === "cross-site") throw new StripeApiError(403, "Pay on the page itself.");
    const form = readCardForm(decodeForm(typeof request.body === "string" ? request.body : ""));
    const found = await load(request.params.id);
    if (!found) return send(reply, unknownSession(), { status: 404 });
    const { session } = found;
    if (session.status === "expired") return send(reply, closedBody(session), { status: 410 });
    if (session.status === "complete") return reply.redirect(successUrl(session), 303);
    const checked = checkCardForm(form, {
      now: new Date(parts.now()),
      needsEmail: (session.customer_details?.email ?? null) === null,
    });
    if (!checked.ok) {
      const shown = checked.errors.number === undefined ? form : { ...form, number: "" }; // it may be a real one: not shown again
      return send(reply, payBody({ ...pageOf(found), form: shown, errors: checked.errors }), {
        status: 422,
        formTarget: originOf(session),
      });
    }
    const payment = { sessionId: session.id, entry: checked.entry, publicUrl: parts.publicUrl() };
    const outcome = await change(parts, (tx) => paySession(tx, causeOf(parts), payment));
    if (outcome.kind === "expired") return send(reply, closedBody(outcome.session), { status: 410 });
    if (outcome.kind !== "declined") return reply.redirect(successUrl(outcome.session), 303);
    const page = {
      ...pageOf({ ...found, session: outcome.session }),
      form: { ...form, cvc: "" },
      banner: outcome.decline.message,
    };
    return send(reply, payBody(page), { status: 402, formTarget: originOf(session) });
  });

  app.get<Route>("/receipts/:id", async (request, reply) => {
    const found = await findObject<Stripe.Charge>(parts.pool, "charge", request.params.id);
    if (!found?.data.paid) return send(reply, noticeBody("No such receipt", "Check the link.", null), { status: 404 });
    return send(reply, receiptBody(found.data));
  });
}

function pageOf(found: { session: Session; hidden: SessionHidden }): PayPage {
  return { session: found.session, items: found.hidden.lineItems, form: EMPTY, errors: {}, banner: null };
}

function prefilled(card: unknown): CardForm {
  const chosen = typeof card === "string" ? findTestCard(card) : null;
  return chosen
    ? { ...EMPTY, number: groupedCardNumber(chosen.number), expiry: "12 / 34", cvc: "123", name: "Test Person" }
    : EMPTY;
}

/** Where the browser goes after paying; a browser checks a form's redirect against the policy, too. */
function originOf(session: Session): string | null {
  return session.success_url !== null && URL.canParse(session.success_url) ? new URL(session.success_url).origin : null;
}

function unknownSession(): Html {
  return noticeBody("No such payment", "Check the link, or start the payment again.", null);
}

function closedBody(session: Session): Html {
  if (session.status === "complete")
    return noticeBody("This payment is done", "It was paid already, and only once.", {
      href: successUrl(session),
      label: "Continue",
    });
  const back = session.cancel_url === null ? null : { href: session.cancel_url, label: "Go back" };
  return noticeBody("This payment page has expired", "Nothing was charged. Go back and start again.", back);
}

function receiptBody(charge: Stripe.Charge): Html {
  const { card } = charge.payment_method_details ?? {};
  return html` <div class="card">
    <h1>Receipt</h1>
    <p>
      ${formatAmount(charge.amount, charge.currency)}, paid on ${new Date(charge.created * 1000).toISOString().slice(0, 10)} with
      the test card ending in ${card?.last4}.
    </p>
    ${charge.amount_refunded > 0 && html`<p>${formatAmount(charge.amount_refunded, charge.currency)} of it was given back.</p>`}
    <p class="quiet">Sandbox: no real money moved.</p>
  </div>`;
}
