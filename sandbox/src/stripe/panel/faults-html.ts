import { html, type Html } from "../../pages/html.ts";
import { apiFaults, deliveryOrders, settlementRates, webhookFaults, type Chaos } from "../events/chaos.ts";

const groups = [
  { title: "Webhooks", faults: Object.entries(webhookFaults) },
  { title: "API responses", faults: Object.entries(apiFaults) },
];

/** Every fault with its current value; 0 is off. */
export function faultsForm(chaos: Chaos): Html {
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
