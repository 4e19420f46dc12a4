import type Stripe from "stripe";

/** Fixed exchange rates: thousandths of a currency unit per dollar. */
const RATES: Readonly<Record<string, bigint>> = { eur: 920n, gbp: 790n, inr: 84_000n, mxn: 18_500n };

export const presentedCurrencies = Object.keys(RATES);

/** Sets the price in the payer's currency, like Adaptive Pricing. The session's own amounts do not change. */
export function setPresentment(session: Stripe.Checkout.Session, currency: unknown): void {
  delete session.presentment_details;
  const rate = typeof currency === "string" ? RATES[currency] : undefined;
  if (rate === undefined || session.adaptive_pricing?.enabled !== true || session.currency !== "usd") return;
  const cents = BigInt(session.amount_total ?? 0);
  session.presentment_details = { presentment_amount: Number((cents * rate) / 1000n), presentment_currency: String(currency) };
}

/** "$10.00" for 1000 and "usd". */
export function formatAmount(amount: number, currency: string): string {
  const format = new Intl.NumberFormat("en-US", { style: "currency", currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}
