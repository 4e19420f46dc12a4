import { html, type Html } from "../../pages/html.ts";
import type { Chaos } from "../events/chaos.ts";

interface Fault {
  name: Exclude<keyof Chaos, "order">;
  label: string;
  min: number;
  max: number;
}

const groups: readonly { title: string; faults: readonly Fault[] }[] = [
  {
    title: "Webhooks",
    faults: [
      { name: "lose", label: "Never sent, in percent", min: 0, max: 100 },
      { name: "duplicate", label: "Sent twice, in percent", min: 0, max: 100 },
      { name: "delayMs", label: "Sent later, by milliseconds", min: 0, max: 600_000 },
      { name: "reorderMs", label: "Out of order, within milliseconds", min: 0, max: 600_000 },
      { name: "clockSkewSeconds", label: "Signed with a wrong clock, by seconds", min: -86_400, max: 86_400 },
    ],
  },
  {
    title: "Answers of the API",
    faults: [
      { name: "dropAnswers", label: "Done, but the answer is lost, in percent", min: 0, max: 100 },
      { name: "serverErrors", label: "Answered with 500, in percent", min: 0, max: 100 },
      { name: "rateLimits", label: "Answered with 429, in percent", min: 0, max: 100 },
      { name: "dropNextAnswer", label: "Next creates whose answer is lost", min: 0, max: 100 },
      { name: "failNextCreate", label: "Next creates answered with 500", min: 0, max: 100 },
      { name: "limitNextCreate", label: "Next creates answered with 429", min: 0, max: 100 },
    ],
  },
];

const orders: readonly { value: Chaos["order"]; label: string }[] = [
  { value: "free", label: "Whichever happens to be first" },
  { value: "webhook_first", label: "The webhook before the browser" },
  { value: "redirect_first", label: "The browser 5 seconds before the webhook" },
];

/** Every fault with its state; 0 is off. */
export function faultsForm(chaos: Readonly<Chaos>): Html {
  return html`<form class="card panel-form" method="post" action="/sandbox/stripe/chaos">
      ${groups.map(
        ({ title, faults }) =>
          html`<fieldset>
            <legend>${title}</legend>
            <div class="faults">
              ${faults.map(
                ({ name, label, min, max }) =>
                  html`<div>
                    <label for="${name}">${label}</label>
                    <input id="${name}" name="${name}" type="number" min="${min}" max="${max}" value="${chaos[name]}" required />
                  </div>`,
              )}
            </div>
          </fieldset>`,
      )}
      <div>
        <label for="order">After a payment on the page, first comes</label>
        <select id="order" name="order">
          ${orders.map(
            ({ value, label }) => html`<option value="${value}" ${value === chaos.order && html` selected`}>${label}</option>`,
          )}
        </select>
      </div>
      <button class="key" type="submit">Set these faults</button>
    </form>
    <form method="post" action="/sandbox/stripe/chaos/calm">
      <button class="tool" type="submit">Turn all faults off</button>
    </form>`;
}
