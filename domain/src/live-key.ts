/**
 * Whether a Stripe API key charges real cards: a secret or restricted live-mode key (docs.stripe.com/keys).
 */
export function takesRealMoney(stripeKey: string): boolean {
  return /^(sk|rk)_live_/.test(stripeKey);
}
