import type Stripe from "stripe";

/** Practice rates for one dollar, as whole thousandths; a real provider asks its market. */
const RATES: Readonly<Record<string, bigint>> = { eur: 920n, gbp: 790n, inr: 84_000n, mxn: 18_500n };

export const presentedCurrencies = Object.keys(RATES);

/** Shows a session's price in the payer's own currency, as Adaptive Pricing does. The session's own amounts stay as they are. */
export function presentIn(session: Stripe.Checkout.Session, currency: unknown): void {
  delete session.presentment_details;
  const rate = typeof currency === "string" ? RATES[currency] : undefined;
  if (rate === undefined || session.adaptive_pricing?.enabled !== true || session.currency !== "usd") return;
  const cents = BigInt(session.amount_total ?? 0);
  session.presentment_details = { presentment_amount: Number((cents * rate) / 1000n), presentment_currency: String(currency) };
}
