import type { FastifyInstance, FastifyReply } from "fastify";
import type Stripe from "stripe";
import { formText } from "../../pages/html.ts";
import { type CardForm, type CardNeeds, checkCardForm, EMPTY_FORM, readCardForm } from "../cards/card-form.ts";
import { findTestCard, groupedCardNumber } from "../cards/test-cards.ts";
import { findSession, type LoadedSession, successUrl } from "../checkout/checkout-session.ts";
import { type PayOutcome, paySession } from "../checkout/pay-session.ts";
import { acceptsOtherMethods, otherMethod, payWithOtherMethod } from "../checkout/other-methods.ts";
import { setPresentment } from "../checkout/presentment.ts";
import { decodeForm } from "../api/form-body.ts";
import { findObject, updateObject } from "../store/object.store.ts";
import { causeOf, change, type StripeContext } from "../stripe-context.ts";
import {
  applyPayerAction,
  closedBody,
  hostedPages,
  originOf,
  refuseCrossSitePost,
  sendHosted,
  unknownSession,
} from "./hosted-pages.ts";
import { payBody, type PayPage } from "./payment-page-html.ts";

type Route = { Params: { id: string }; Querystring: { card?: unknown; currency?: unknown } };

/** The page at a session's `url`. */
export async function paymentPage(app: FastifyInstance, context: StripeContext): Promise<void> {
  hostedPages(app, context);

  app.get<Route>("/pay/:id", { config: { access: "development" } }, async (request, reply) => {
    const found = await change(context, (tx) => findSession(tx, causeOf(context), request.params.id));
    if (!found) return sendHosted(reply, unknownSession(), { status: 404 });
    if (found.session.status !== "open") return sendClosed(reply, found.session);
    const picked = prefilled(request.query.card);
    const banner = picked === null ? await lastFailure(context, found.session) : null;
    setPresentment(found.session, request.query.currency);
    return sendPage(reply, { ...pageOf(context, found), form: picked ?? EMPTY_FORM, banner });
  });

  app.post<Route>("/pay/:id", { config: { access: "development" } }, async (request, reply) => {
    refuseCrossSitePost(request);
    const fields = decodeForm(formText(request));
    const form = readCardForm(fields);
    const found = await change(context, (tx) => findSession(tx, causeOf(context), request.params.id));
    if (!found) return sendHosted(reply, unknownSession(), { status: 404 });
    const { session } = found;
    if (session.status === "expired") return sendClosed(reply, session);
    if (session.status === "complete") return reply.redirect(successUrl(session), 303);
    await storeCurrency(context, session.id, fields["currency"]);
    setPresentment(session, fields["currency"]);
    const checked = checkCardForm(form, { now: new Date(context.now()), needs: needsOf(session) });
    if (!checked.ok) {
      const shown = checked.errors.number === undefined ? form : { ...form, number: "" }; // never echo what may be a real card
      return sendPage(reply, { ...pageOf(context, found), form: shown, errors: checked.errors }, 422);
    }
    const payment = { sessionId: session.id, card: checked.entry, publicUrl: context.publicUrl() };
    const outcome = await applyPayerAction(context, (tx, cause) => paySession(tx, cause, payment));
    return sendOutcome(context, reply, { outcome, found, form });
  });

  app.post<Route>("/pay/:id/other-method", { config: { access: "development" } }, async (request, reply) => {
    refuseCrossSitePost(request);
    const fields = decodeForm(formText(request));
    const type = otherMethod.safeParse(fields["type"]);
    const { id } = request.params;
    const found = await change(context, (tx) => findSession(tx, causeOf(context), id));
    if (!found || !type.success) return sendHosted(reply, unknownSession(), { status: 404 });
    if (found.session.status === "expired") return sendClosed(reply, found.session);
    await storeCurrency(context, id, fields["currency"]);
    const payment = { sessionId: id, type: type.data, publicUrl: context.publicUrl() };
    const session = await applyPayerAction(context, (tx, cause) => payWithOtherMethod(tx, cause, payment));
    return reply.redirect(successUrl(session), 303);
  });
}

/** Stores the chosen currency, so that the page still shows it after an error. */
async function storeCurrency(context: StripeContext, sessionId: string, currency: unknown): Promise<void> {
  await change(context, async (tx) => {
    const found = await findSession(tx, causeOf(context), sessionId);
    if (found === null || found.session.status !== "open") return;
    setPresentment(found.session, currency);
    await updateObject(tx, found.session);
  });
}

function sendOutcome(
  context: StripeContext,
  reply: FastifyReply,
  facts: { outcome: PayOutcome; found: LoadedSession; form: CardForm },
): FastifyReply {
  const { outcome, found, form } = facts;
  const { session } = outcome;
  switch (outcome.kind) {
    case "expired":
      return sendClosed(reply, session);
    case "challenge":
      return reply.redirect(outcome.url, 303);
    case "declined": {
      const page = { ...pageOf(context, { ...found, session }), form: { ...form, cvc: "" }, banner: outcome.decline.message };
      return sendPage(reply, page, 402);
    }
    default:
      return reply.redirect(successUrl(session), 303);
  }
}

function sendPage(reply: FastifyReply, page: PayPage, status = 200): FastifyReply {
  return sendHosted(reply, payBody(page), { status, formTarget: originOf(page.session.success_url), script: "/countdown.js" });
}

function sendClosed(reply: FastifyReply, session: Stripe.Checkout.Session): FastifyReply {
  return sendHosted(reply, closedBody(session), { status: session.status === "expired" ? 410 : 200 });
}

function pageOf(context: StripeContext, { session, hidden }: LoadedSession): PayPage {
  return {
    session,
    items: hidden.lineItems,
    form: EMPTY_FORM,
    needs: needsOf(session),
    errors: {},
    banner: null,
    secondsLeft: Math.max(0, session.expires_at - Math.floor(context.now() / 1000)),
    offersOtherMethods: acceptsOtherMethods(session),
    savesCard: session.mode === "setup" || hidden.intent.setupFutureUsage === "off_session",
  };
}

function needsOf(session: Stripe.Checkout.Session): CardNeeds {
  return {
    email: (session.customer_details?.email ?? null) === null,
    zip: session.billing_address_collection === "required",
    terms: session.consent_collection?.terms_of_service === "required",
  };
}

/** A form filled with the chosen test card; null without one. */
function prefilled(card: unknown): CardForm | null {
  const chosen = typeof card === "string" ? findTestCard(card) : null;
  if (!chosen) return null;
  const number = groupedCardNumber(chosen.number);
  return { ...EMPTY_FORM, number, expiry: "12 / 34", cvc: "123", name: "Test Person", zip: "94107" };
}

/** Why the last attempt failed, shown when the payer returns from the bank. */
async function lastFailure(context: StripeContext, session: Stripe.Checkout.Session): Promise<string | null> {
  if (typeof session.setup_intent === "string") {
    const setup = await findObject<Stripe.SetupIntent>(context.pool, "setup_intent", session.setup_intent);
    return setup?.data.last_setup_error?.message ?? null;
  }
  if (typeof session.payment_intent !== "string") return null;
  const payment = await findObject<Stripe.PaymentIntent>(context.pool, "payment_intent", session.payment_intent);
  return payment?.data.last_payment_error?.message ?? null;
}
