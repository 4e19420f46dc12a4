import { Stripe } from "stripe";

/** The provider names the permission that a request of a restricted key needs. */
const PERMISSION = /\brak_\w+/;

/** What a restricted key lacks for the request that failed, for example "rak_balance_transaction_read"; null if it failed otherwise. */
export function missingPermission(error: unknown, needed: string): string | null {
  if (!(error instanceof Stripe.errors.StripePermissionError)) return null;
  return PERMISSION.exec(error.message)?.[0] ?? needed;
}
