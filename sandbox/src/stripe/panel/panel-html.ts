import type Stripe from "stripe";
import { html, type Html } from "../../pages/html.ts";
import { apiFaults, type Chaos, deliveryOrders, settlementRates, webhookFaults } from "../events/chaos.ts";
import { formatAmount } from "../checkout/presentment.ts";
import type { EventView, Page } from "./panel-views.ts";

const groups = [
  { title: "Webhooks", faults: Object.entries(webhookFaults) },
  { title: "API responses", faults: Object.entries(apiFaults) },
];

export function panelBody(view: {
  chaos: Chaos;
  pending: readonly Stripe.Checkout.Session[];
  charges: Page<Stripe.Charge>;
  events: Page<EventView>;
}): Html {
  return html`<h1>Stripe, on this machine</h1>
    <p class="lead">
      Everything a payment provider does to a shop, on demand: refunds, disputes, fraud warnings and lost webhooks.
    </p>
    ${view.pending.length > 0 && pendingRows(view.pending)}
    <section aria-labelledby="payments">
      <h2 id="payments">Latest payments</h2>
      <p>Open one to refund it, dispute it or send a fraud warning.</p>
      ${chargeRows(view.charges.rows.slice(0, 10))}
      <p><a class="back" href="/sandbox/stripe/payments">All payments</a></p>
    </section>
    <section aria-labelledby="faults">
      <h2 id="faults">Faults</h2>
      ${faultsForm(view.chaos)}
    </section>
    <section aria-labelledby="events">
      <h2 id="events">Latest events</h2>
      <p>Sent to the shop by webhook.</p>
      ${eventRows(view.events.rows.slice(0, 10))}
      <p><a class="back" href="/sandbox/stripe/events">All events</a></p>
    </section>`;
}

export function paymentsBody(page: Page<Stripe.Charge>): Html {
  return html`${backToPanel()}
    <h1>Payments</h1>
    ${chargeRows(page.rows)} ${older("/sandbox/stripe/payments", page.after)}`;
}

export function eventsBody(page: Page<EventView>): Html {
  return html`${backToPanel()}
    <h1>Events</h1>
    ${eventRows(page.rows)} ${older("/sandbox/stripe/events", page.after)}`;
}

export function problemBody(text: string): Html {
  return html`${backToPanel()}
    <h1>This did not work</h1>
    <p role="alert">${text}</p>`;
}

export function backToPanel(): Html {
  return html`<p><a class="back" href="/sandbox/stripe">Control panel</a></p>`;
}

export function eventRows(events: readonly EventView[]): Html {
  if (events.length === 0) return html`<p class="empty">No event yet.</p>`;
  return html`<ul class="rows with-tools">
    ${events.map(
      ({ event, deliveries }) =>
        html` <li>
          <span class="figure">${timeOf(event.created)}</span
          ><span><b>${event.type}</b><br />${event.id} · ${deliveryText(deliveries)}</span>
          <form method="post" action="/sandbox/stripe/events/${event.id}/resend">
            <button class="tool" type="submit" aria-label="Send again: ${event.type}">Send again</button>
          </form>
        </li>`,
    )}
  </ul>`;
}

/** "2026-11-21 12:00:00 UTC" */
export function timeOf(unixSeconds: number): string {
  return `${new Date(unixSeconds * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** Bank debits and vouchers, with buttons that settle them. */
function pendingRows(sessions: readonly Stripe.Checkout.Session[]): Html {
  const button = (id: string, action: string, label: string) =>
    html`<form method="post" action="/sandbox/stripe/sessions/${id}/${action}">
      <button class="tool" type="submit">${label}</button>
    </form>`;
  return html`<section aria-labelledby="pending">
    <h2 id="pending">Pending payments</h2>
    <ul class="rows with-tools">
      ${sessions.map(
        ({ id, amount_total: amount, currency, created }) =>
          html`<li>
            <span class="figure">${formatAmount(amount ?? 0, currency ?? "usd")}</span><span>${timeOf(created)}</span>
            <span class="buttons">${button(id, "succeed", "Let it succeed")}${button(id, "fail", "Let it fail")}</span>
          </li>`,
      )}
    </ul>
  </section>`;
}

function chargeRows(charges: readonly Stripe.Charge[]): Html {
  if (charges.length === 0) return html`<p class="empty">No payment yet.</p>`;
  return html`<ul class="rows">
    ${charges.map(
      (charge) =>
        html` <li>
          <span class="figure">${formatAmount(charge.amount, charge.currency)}</span
          ><span
            ><a href="/sandbox/stripe/payments/${charge.id}"><b>${chargeState(charge)}</b></a> · ${paidWith(charge)}<br />${timeOf(charge.created)}${
              charge.billing_details.name !== null && html` · ${charge.billing_details.name}`
            }</span
          >
        </li>`,
    )}
  </ul>`;
}

function paidWith({ payment_method_details: details }: Stripe.Charge): string {
  return details?.card ? `card ending in ${details.card.last4}` : (details?.type ?? "").replaceAll("_", " ");
}

export function chargeState(charge: Stripe.Charge): string {
  if (!charge.paid) return `Declined (${charge.outcome?.reason ?? charge.failure_code})`;
  if (charge.disputed) return "Disputed";
  if (charge.refunded) return "Refunded";
  return charge.amount_refunded > 0 ? `Paid, ${formatAmount(charge.amount_refunded, charge.currency)} refunded` : "Paid";
}

function deliveryText(deliveries: EventView["deliveries"]): string {
  if (deliveries.length === 0) return "not sent";
  return deliveries
    .map(({ attempts, doneAt, outcome }) => {
      if (doneAt !== null) return outcome === "delivered" ? "delivered" : `given up (${outcome})`;
      return attempts === 0 ? "queued" : `tried ${attempts} times (${outcome})`;
    })
    .join(", ");
}

function older(path: string, after: string | null): Html {
  return after === null ? html`` : html`<p><a class="back" href="${path}?after=${after}">Older</a></p>`;
}

/** Every fault with its current value; 0 is off. */
function faultsForm(chaos: Chaos): Html {
  return html`<form class="card panel-form" method="post" action="/sandbox/stripe/chaos">
      ${groups.map(
        ({ title, faults }) =>
          html`<fieldset>
            <legend>${title}</legend>
            <div class="faults">
              ${faults.map(
                ([name, { label, min, max }]) =>
                  html`<div>
                    <label for="${name}">${label}</label>
                    <input
                      id="${name}"
                      name="${name}"
                      type="number"
                      min="${min}"
                      max="${max}"
                      value="${chaos[name as keyof Chaos]}"
                      required
                    />
                  </div>`,
              )}
            </div>
          </fieldset>`,
      )}
      <div>
        <label for="order">First to arrive after a payment</label>
        <select id="order" name="order">
          ${Object.entries(deliveryOrders).map(
            ([value, label]) => html`<option value="${value}" ${value === chaos.order && html` selected`}>${label}</option>`,
          )}
        </select>
      </div>
      <div>
        <label for="settles">The account settles in</label>
        <select id="settles" name="settles">
          ${Object.keys(settlementRates).map(
            (code) => html`<option value="${code}" ${code === chaos.settles && html` selected`}>${code.toUpperCase()}</option>`,
          )}
        </select>
      </div>
      <button class="key" type="submit">Set these faults</button>
    </form>
    <form method="post" action="/sandbox/stripe/chaos/reset">
      <button class="tool" type="submit">Turn all faults off</button>
    </form>`;
}
