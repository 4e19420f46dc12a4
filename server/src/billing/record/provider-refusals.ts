import { Stripe } from "stripe";
import type { Context } from "../../context.ts";

/** Of changes, only who asked for them knows whether these are somebody's mistake: see `recordRefusal`. */
export const REFUSALS: ReadonlySet<number> = new Set([400, 403, 404]);
/** The provider names the permission that a request of a restricted key needs. */
const PERMISSION = /\brak_\w+/;

/** Says that the provider refused what no customer can spoil: our account may not charge, or our key or request is wrong. */
export function recordRefusal({ uses }: Pick<Context, "uses">, error: InstanceType<typeof Stripe.errors.StripeError>): void {
  const { statusCode = 0, code } = error;
  if (REFUSALS.has(statusCode)) uses.record("payments", `It refuses our requests (${code ?? `status ${statusCode}`}).`);
}

/** What a restricted key lacks for the request that failed, for example "rak_balance_transaction_read"; null if it failed otherwise. */
export function missingPermission(error: unknown, needed: string): string | null {
  if (!(error instanceof Stripe.errors.StripePermissionError)) return null;
  return PERMISSION.exec(error.message)?.[0] ?? needed;
}

/** Whether the provider does not take a customer's address: mail servers accept more than it does, such as letters outside ASCII. */
export function isAddressRefused(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.code === "email_invalid";
}

/** Whether the provider does not know what was asked for: somebody deleted it there, or it belongs to another account of ours. */
export function isMissing(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.code === "resource_missing";
}
