import type Stripe from "stripe";
import { html, type Html } from "../pages/html.ts";
import type { CardErrors, CardField, CardForm } from "./card-form.ts";
import { groupedCardNumber, testCards, type TestCard } from "./test-cards.ts";

type Session = Stripe.Checkout.Session;

/** "$10.00" for 1000 and "usd". */
export function formatAmount(amount: number, currency: string): string {
  const format = new Intl.NumberFormat("en-US", { style: "currency", currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

export interface PayPage {
  session: Session;
  items: readonly Stripe.LineItem[];
  form: CardForm;
  errors: CardErrors;
  /** Said above the form: why the last try did not go through. */
  banner: string | null;
}

/** The form to pay with: what is bought, the test cards to choose from, the card. */
export function payBody(page: PayPage): Html {
  const { session, form } = page;
  const input = (name: CardField, label: string, attributes: Html) => field(page, name, label, attributes);
  const amount = formatAmount(session.amount_total ?? 0, session.currency ?? "usd");
  const email = session.customer_details?.email ?? null;
  return html` <div class="pay">
    ${orderCard(page, amount, email)}
    <div class="card">
      <h1>Pay by card</h1>
      <p class="quiet">This is a practice page. Use one of the test cards; never type a real card.</p>
      ${cardPicker(form.number.replaceAll(" ", ""))}
      ${page.banner !== null && html`<p class="banner" role="alert">${page.banner}</p>`}
      <form method="post" action="/pay/${session.id}" novalidate>
        <div class="fields">
          ${email === null && input("email", "E-mail", html`type="email" autocomplete="email"`)}
          ${input("number", "Card number", html`inputmode="numeric" autocomplete="off"`)}
          ${input("expiry", "Expiry", html`inputmode="numeric" autocomplete="off" placeholder="MM / YY"`)}
          ${input("cvc", "CVC", html`inputmode="numeric" autocomplete="off"`)}
          ${input("name", "Name on card", html`autocomplete="off"`)}
        </div>
        <button class="key" type="submit">Pay ${amount}</button>
      </form>
    </div>
  </div>`;
}

/** A page that only says something and leads on. */
export function noticeBody(title: string, text: string, link: { href: string; label: string } | null): Html {
  return html` <div class="card">
    <h1>${title}</h1>
    <p>${text}</p>
    ${link && html`<p><a class="key" href="${link.href}">${link.label}</a></p>`}
  </div>`;
}

/** The card that pays is one press away; those that fail are folded up. */
function cardPicker(chosen: string): Html {
  const list = (cards: readonly TestCard[]) =>
    html`<ul class="cards">
      ${cards.map(
        (card) =>
          html` <li>
            <a href="?card=${card.number}" ${card.number === chosen && html` aria-current="true"`}
              ><b>${card.title}</b>${groupedCardNumber(card.number)}</a
            >
          </li>`,
      )}
    </ul>`;
  const failing = testCards.filter((card) => card.decline !== null);
  return html`<nav class="picker" aria-label="Test cards">
${list(testCards.filter((card) => card.decline === null))}
<details${failing.some((card) => card.number === chosen) && html` open`}>
<summary>Cards that fail</summary>
${list(failing)}
</details>
</nav>`;
}

function orderCard(page: PayPage, amount: string, email: string | null): Html {
  const { session } = page;
  return html`<div class="card order">
    <h2>Your order</h2>
    <p class="total">${amount}</p>
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
    </dl>
    <p class="note">Sandbox: no real money moves.</p>
    ${session.cancel_url !== null && html`<a class="back" href="${session.cancel_url}">Back without paying</a>`}
  </div>`;
}

const HALF_WIDTH: ReadonlySet<CardField> = new Set(["expiry", "cvc"]);

function field(page: PayPage, name: CardField, label: string, attributes: Html): Html {
  const { form, errors } = page;
  const error = errors[name];
  const first = Object.keys(errors)[0] === name;
  return html`<div${!HALF_WIDTH.has(name) && html` class="wide"`}>
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" value="${form[name]}" required ${attributes}${error !== undefined && html` aria-invalid="true" aria-describedby="${name}-error"`}${first && html` autofocus`}>
${error !== undefined && html`<p class="error" id="${name}-error">${error}</p>`}
</div>
`;
}
