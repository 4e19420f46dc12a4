import type Stripe from "stripe";
import { html, type Html } from "../../pages/html.ts";
import { formatAmount } from "../checkout/presentment.ts";
import { disputeReasons } from "../payments/dispute.ts";
import { backToPanel, chargeState, eventRows, timeOf } from "./panel-html.ts";
import type { PaymentView } from "./panel-views.ts";

const DECIDED: ReadonlySet<string> = new Set(["won", "lost", "warning_closed", "prevented"]);

/** A payment, its history and its actions. */
export function paymentBody(view: PaymentView): Html {
  const { charge } = view;
  return html`${backToPanel()}
    <h1>${formatAmount(charge.amount, charge.currency)}</h1>
    <ul class="rows">
      <li><span class="figure">State</span><span>${chargeState(charge)}</span></li>
      <li><span class="figure">When</span><span>${timeOf(charge.created)}</span></li>
      <li><span class="figure">Charge</span><span>${charge.id}</span></li>
      <li><span class="figure">Payment intent</span><span>${charge.payment_intent as string}</span></li>
    </ul>
    ${charge.paid && actions(charge)} ${refundSection(view)} ${disputeSection(view)} ${warningSection(view)}
    <section aria-labelledby="events">
      <h2 id="events">Events</h2>
      ${eventRows(view.events)}
    </section>`;
}

function actions(charge: Stripe.Charge): Html {
  const path = `/sandbox/stripe/payments/${charge.id}`;
  const left = charge.amount - charge.amount_refunded;
  return html`<section aria-labelledby="actions">
    <h2 id="actions">Actions</h2>
    <div class="card tools">
      ${
        left > 0 &&
        html`<form method="post" action="${path}/refund">
          <label for="dollars">Amount, ${formatAmount(left, charge.currency)} at most</label>
          <input id="dollars" name="dollars" inputmode="decimal" value="${(left / 100).toFixed(2)}" required />
          <button class="tool" type="submit">Refund</button>
        </form>`
      }
      ${
        !charge.disputed &&
        left > 0 &&
        html`<form method="post" action="${path}/dispute">
          <label for="reason">The cardholder disputes the payment</label>
          <select id="reason" name="reason">
            ${disputeReasons.map((reason) => html`<option value="${reason}">${reason.replaceAll("_", " ")}</option>`)}
          </select>
          <button class="tool" type="submit">Open a dispute</button>
        </form>`
      }
      <form method="post" action="${path}/early-fraud-warning">
        <p>The bank suspects fraud.</p>
        <button class="tool" type="submit">Send a fraud warning</button>
      </form>
    </div>
  </section>`;
}

function refundSection({ refunds }: PaymentView): Html {
  if (refunds.length === 0) return html``;
  return html`<section aria-labelledby="refunds">
    <h2 id="refunds">Refunds</h2>
    <ul class="rows with-tools">
      ${refunds.map(
        (refund) =>
          html`<li>
            <span class="figure">${formatAmount(refund.amount, refund.currency)}</span
            ><span><b>${refund.status}</b><br />${refund.id} · ${timeOf(refund.created)}</span>
            <span class="buttons"
              >${refund.status === "pending" && actionButton(`refunds/${refund.id}/succeed`, "Let it succeed")}${
                (refund.status === "pending" || refund.status === "succeeded") &&
                actionButton(`refunds/${refund.id}/fail`, "Let it fail")
              }</span
            >
          </li>`,
      )}
    </ul>
  </section>`;
}

function disputeSection({ disputes }: PaymentView): Html {
  if (disputes.length === 0) return html``;
  return html`<section aria-labelledby="disputes">
    <h2 id="disputes">Disputes</h2>
    <ul class="rows with-tools">
      ${disputes.map(
        (dispute) =>
          html`<li>
            <span class="figure">${formatAmount(dispute.amount, dispute.currency)}</span
            ><span
              ><b>${dispute.status.replaceAll("_", " ")}</b><br />${dispute.reason.replaceAll("_", " ")} · ${dispute.id}</span
            >
            ${
              !DECIDED.has(dispute.status) &&
              html`<span class="buttons"
                >${actionButton(`disputes/${dispute.id}/win`, "The shop wins")}${actionButton(
                  `disputes/${dispute.id}/lose`,
                  "The shop loses",
                )}</span
              >`
            }
          </li>`,
      )}
    </ul>
  </section>`;
}

function warningSection({ warnings }: PaymentView): Html {
  if (warnings.length === 0) return html``;
  return html`<section aria-labelledby="warnings">
    <h2 id="warnings">Fraud warnings</h2>
    <ul class="rows">
      ${warnings.map(
        (warning) =>
          html`<li>
            <span class="figure">${timeOf(warning.created)}</span
            ><span
              ><b>${warning.fraud_type.replaceAll("_", " ")}</b><br />${warning.actionable ? "needs action" : "resolved"}</span
            >
          </li>`,
      )}
    </ul>
  </section>`;
}

function actionButton(path: string, label: string): Html {
  return html`<form method="post" action="/sandbox/stripe/${path}"><button class="tool" type="submit">${label}</button></form>`;
}
