import type { FastifyInstance, FastifyReply } from "fastify";
import type Stripe from "stripe";
import { formText, html, type Html } from "../../pages/html.ts";
import { decodeForm } from "../api/form-body.ts";
import { answerChallenge, type Challenge, type ChallengeOutcome, findChallenge } from "../checkout/challenge.ts";
import { successUrl } from "../checkout/checkout-session.ts";
import { causeOf, change, type StripeContext } from "../stripe-context.ts";
import { formatAmount } from "../checkout/presentment.ts";
import { applyPayerAction, closedBody, hostedPages, originOf, refuseCrossSitePost, sendHosted } from "./hosted-pages.ts";
import { noticeBody } from "./payment-page-html.ts";

type Route = { Params: { id: string } };

/** The page on which the bank asks the cardholder to confirm a payment (3-D Secure). */
export async function challengePage(app: FastifyInstance, context: StripeContext): Promise<void> {
  hostedPages(app, context);

  app.get<Route>("/challenge/:id", { config: { access: "development" } }, async (request, reply) => {
    const found = await change(context, (tx) => findChallenge(tx, causeOf(context), request.params.id));
    if (!found) return sendHosted(reply, unknown(), { status: 404 });
    const session = found.loaded?.session ?? null;
    if (!found.method) return sendHosted(reply, session && session.status !== "open" ? closedBody(session) : answered(session));
    return sendHosted(reply, challengeBody(found), { formTarget: targetOf(found) });
  });

  app.post<Route>("/challenge/:id", { config: { access: "development" } }, async (request, reply) => {
    refuseCrossSitePost(request);
    const { answer } = decodeForm(formText(request));
    if (answer !== "complete" && answer !== "fail")
      return sendHosted(reply, noticeBody("This did not work", "Choose Complete or Fail.", null), { status: 422 });
    const given = { intentId: request.params.id, confirmed: answer === "complete", publicUrl: context.publicUrl() };
    const outcome = await applyPayerAction(context, (tx, cause) => answerChallenge(tx, cause, given));
    if (!outcome) return sendHosted(reply, unknown(), { status: 404 });
    return sendOutcome(reply, outcome);
  });
}

function sendOutcome(reply: FastifyReply, outcome: ChallengeOutcome): FastifyReply {
  switch (outcome.kind) {
    case "done":
    case "already_done":
      return reply.redirect(successUrl(outcome.session), 303);
    case "expired":
      return sendHosted(reply, closedBody(outcome.session), { status: 410 });
    case "challenge":
      return reply.redirect(outcome.url, 303);
    case "declined":
    case "stale":
      return reply.redirect(`/pay/${outcome.session.id}`, 303);
    default:
      if (outcome.returnUrl !== null) return reply.redirect(returnUrl(outcome.returnUrl, outcome.intent), 303);
      return sendHosted(reply, answered(null));
  }
}

/** Redirects as Stripe does: with the intent's id and the outcome (docs.stripe.com/payments/3d-secure). */
function returnUrl(address: string, intent: Stripe.PaymentIntent | Stripe.SetupIntent): string {
  const url = new URL(address);
  url.searchParams.set(intent.object, intent.id);
  url.searchParams.set(`${intent.object}_client_secret`, intent.client_secret ?? "");
  url.searchParams.set("redirect_status", intent.status === "succeeded" ? "succeeded" : "failed");
  return url.href;
}

function targetOf({ intent, loaded }: Challenge): string | null {
  return originOf(loaded?.session.success_url ?? intent.next_action?.redirect_to_url?.return_url ?? null);
}

function challengeBody({ intent, method }: Challenge): Html {
  const card = method?.data.card?.last4 ?? "";
  const question =
    intent.object === "payment_intent"
      ? html`Did you ask to pay <b>${formatAmount(intent.amount, intent.currency)}</b> with the card ending in ${card}?`
      : html`Did you ask to save the card ending in ${card} for later payments?`;
  return html`<div class="card challenge">
    <h1>Your bank asks</h1>
    <p>${question}</p>
    <p class="quiet">This is the step called 3-D Secure. A real bank would send you a code or ask in its app.</p>
    <form method="post" action="/challenge/${intent.id}">
      <div class="answers">
        <button class="key" type="submit" name="answer" value="complete">Complete</button>
        <button class="key plain" type="submit" name="answer" value="fail">Fail</button>
      </div>
    </form>
  </div>`;
}

/** @param session the open session to return to, if any */
function answered(session: Stripe.Checkout.Session | null): Html {
  const link = session === null ? null : { href: `/pay/${session.id}`, label: "Back to the payment" };
  return noticeBody("The bank has its answer", "There is nothing left to confirm here.", link);
}

function unknown(): Html {
  return noticeBody("Nothing to confirm", "Check the link, or start the payment again.", null);
}
