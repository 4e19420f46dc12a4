import { paymentMethodName } from "@farline/domain/payment-method-name.ts";

/** "Visa •••• 4242" or "PayPal"; null if the provider did not report the payment method. */
export function cardName(of: { card_brand: string | null; card_last4: string | null }): string | null {
  return of.card_brand === null ? null : paymentMethodName({ brand: of.card_brand, last4: of.card_last4 });
}
