import type { FastifyInstance } from "fastify";
import type Stripe from "stripe";
import { html, type Html } from "../../pages/html.ts";
import { findObject } from "../store/object.store.ts";
import type { StripeContext } from "../stripe-context.ts";
import { formatAmount } from "./format-amount.ts";
import { sendHosted } from "./hosted-pages.ts";
import { noticeBody } from "./payment-page-html.ts";

/** The page at a charge's `receipt_url`. */
export function receiptPage(app: FastifyInstance, context: StripeContext): void {
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
