import type Stripe from "stripe";
import { html, type Html } from "../../pages/html.ts";
import type { CardErrors, CardField, CardForm, CardNeeds } from "../cards/card-form.ts";
import { cardGroups, groupedCardNumber, type TestCard } from "../cards/test-cards.ts";
import { otherMethods } from "../checkout/other-methods.ts";
import { formatAmount, presentedCurrencies } from "../checkout/presentment.ts";

export interface PayPage {
  session: Stripe.Checkout.Session;
  items: readonly Stripe.LineItem[];
  form: CardForm;
  needs: CardNeeds;
  errors: CardErrors;
  /** Shown above the form: why the last attempt failed. */
  banner: string | null;
  /** Until the session expires. */
  secondsLeft: number;
  offersOtherMethods: boolean;
  /** True if the card is saved for off-session payments. */
  savesCard: boolean;
}

/** The payment form: the order, the test cards to choose from, and the card fields. */
export function payBody(page: PayPage): Html {
  const { session, form, needs } = page;
  const pays = session.mode === "payment";
  const dollars = formatAmount(session.amount_total ?? 0, session.currency ?? "usd");
  const shown = session.presentment_details;
  const amount = shown === undefined ? dollars : formatAmount(shown.presentment_amount, shown.presentment_currency);
  const currency = html`<input type="hidden" name="currency" value="${shown?.presentment_currency ?? ""}" />`;
  const input = (name: CardField, label: string, attributes: Html) => field(page, name, label, attributes);
  return html` <div class="pay">
    ${orderCard(page, pays ? amount : null)}
    <div class="card">
      <h1>${pays ? "Pay by card" : "Save a card"}</h1>
      ${page.banner !== null && html`<p class="banner" role="alert">${page.banner}</p>`}
      <p class="quiet">This page is for testing. Use one of the test cards; never enter a real card.</p>
      ${cardPicker(form.number.replaceAll(" ", ""))}
      <form method="post" action="/pay/${session.id}" novalidate>
        ${currency}
        <div class="fields">
          ${needs.email && input("email", "E-mail", html`type="email" autocomplete="email"`)}
          ${input("number", "Card number", html`inputmode="numeric" autocomplete="off"`)}
          ${input("expiry", "Expiry", html`inputmode="numeric" autocomplete="off" placeholder="MM / YY"`)}
          ${input("cvc", "CVC", html`inputmode="numeric" autocomplete="off"`)}
          ${input("name", "Name on card", html`autocomplete="off"`)}
          ${input("zip", needs.zip ? "ZIP or postal code" : "ZIP or postal code (optional)", html`autocomplete="postal-code"`)}
        </div>
        ${needs.terms && termsBox(page)}
        ${
          page.savesCard &&
          html`<p class="quiet">The shop saves this card and may charge it later without asking you, as you agreed.</p>`
        }
        <button class="key" type="submit">${pays ? `Pay ${amount}` : "Save card"}</button>
      </form>
      ${page.offersOtherMethods && otherMethodsForm(session.id, currency)}
    </div>
  </div>`;
}

function otherMethodsForm(sessionId: string, currency: Html): Html {
  return html`<section aria-labelledby="other-methods">
    <h2 id="other-methods">Or pay another way</h2>
    ${Object.entries(otherMethods).map(
      ([type, { title, description }]) =>
        html`<form method="post" action="/pay/${sessionId}/other-method">
          ${currency}
          <button class="tool" type="submit" name="type" value="${type}">${title}</button>
          <span class="quiet">${description}</span>
        </form>`,
    )}
  </section>`;
}

function currencyChoice(session: Stripe.Checkout.Session): Html {
  const chosen = session.presentment_details?.presentment_currency ?? "usd";
  return html`<nav aria-label="Currency">
    ${["usd", ...presentedCurrencies].map(
      (currency) =>
        html`<a href="?currency=${currency}" ${currency === chosen && html` aria-current="true"`}>${currency.toUpperCase()}</a> `,
    )}
  </nav>`;
}

export function noticeBody(title: string, text: string, link: { href: string; label: string } | null): Html {
  return html` <div class="card">
    <h1>${title}</h1>
    <p>${text}</p>
    ${link && html`<p><a class="key" href="${link.href}">${link.label}</a></p>`}
  </div>`;
}

/** Shows the cards that pay; the other groups are collapsed. */
function cardPicker(chosen: string): Html {
  const [first, ...others] = cardGroups;
  return html`<nav class="picker" aria-label="Test cards">
    ${first && cardList(first.cards, chosen)}
    ${others.map(
      ({ title, cards }) =>
        html`<details ${cards.some((card) => card.number === chosen) && html` open`}>
          <summary>${title}</summary>
          ${cardList(cards, chosen)}
        </details>`,
    )}
  </nav>`;
}

function cardList(cards: readonly TestCard[], chosen: string): Html {
  return html`<ul class="cards">
    ${cards.map(
      (card) =>
        html` <li>
          <a href="?card=${card.number}" ${card.number === chosen && html` aria-current="true"`}
            ><b>${card.title}</b>${groupedCardNumber(card.number)}</a
          >
        </li>`,
    )}
  </ul>`;
}

/** @param amount null in `setup` mode */
function orderCard(page: PayPage, amount: string | null): Html {
  const { session } = page;
  const email = session.customer_details?.email ?? null;
  return html`<div class="card order">
    <h2>${amount === null ? "A card for later" : "Your order"}</h2>
    ${amount !== null && html`<p class="total">${amount}</p>`}
    ${amount !== null && session.adaptive_pricing?.enabled === true && currencyChoice(session)}
    <dl>
      ${page.items.map(
        (item) =>
          html`<div>
            <dt>${item.description}${(item.quantity ?? 1) > 1 && ` × ${item.quantity}`}</dt>
            <dd>${formatAmount(item.amount_total, item.currency)}</dd>
          </div> `,
      )}
      ${
        email !== null &&
        html`<div>
          <dt>E-mail</dt>
          <dd>${email}</dd>
        </div>`
      }
      <div>
        <dt>Page open for</dt>
        <dd data-seconds-left="${page.secondsLeft}">${timeLeft(page.secondsLeft)}</dd>
      </div>
    </dl>
    <p class="note">Sandbox: no real money moves.</p>
    ${session.cancel_url !== null && html`<a class="back" href="${session.cancel_url}">Back without ${amount === null ? "saving" : "paying"}</a>`}
  </div>`;
}

function timeLeft(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${String(seconds % 60).padStart(2, "0")}`;
}

const HALF_WIDTH: ReadonlySet<CardField> = new Set(["expiry", "cvc"]);

function field(page: PayPage, name: CardField, label: string, attributes: Html): Html {
  const { form, errors } = page;
  const error = errors[name];
  const first = Object.keys(errors)[0] === name;
  const required = name !== "zip" || page.needs.zip;
  return html`<div${!HALF_WIDTH.has(name) && html` class="wide"`}>
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" value="${form[name]}"${required && html` required`} ${attributes}${error !== undefined && html` aria-invalid="true" aria-describedby="${name}-error"`}${first && html` autofocus`}>
${error !== undefined && html`<p class="error" id="${name}-error">${error}</p>`}
</div>
`;
}

function termsBox({ form, errors }: PayPage): Html {
  const error = errors.terms;
  return html`<div class="choice">
    <input
      id="terms"
      name="terms"
      type="checkbox"
      ${form.terms === "on" && html` checked`}${error !== undefined && html` aria-invalid="true" aria-describedby="terms-error"`}
    />
    <label for="terms">I agree to the shop's terms of service</label>
    ${error !== undefined && html`<p class="error" id="terms-error">${error}</p>`}
  </div>`;
}
