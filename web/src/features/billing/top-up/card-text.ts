import { paymentMethodName } from "@farline/domain/payment-method-name.ts";
import { leftToRight } from "../../../text/left-to-right.ts";

/** A card as "Visa •••• 4242", or "PayPal", also within right-to-left text. */
export function cardText(card: { readonly brand: string; readonly last4: string | null }): string {
  return leftToRight(paymentMethodName(card));
}
