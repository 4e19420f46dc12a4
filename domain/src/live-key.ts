/**
 * Whether a Stripe API key charges real cards: a secret or restricted key of live mode. Every other key is play money.
 * Source: docs.stripe.com/keys
 */
export function takesRealMoney(stripeKey: string): boolean {
  return /^(sk|rk)_live_/.test(stripeKey);
}
