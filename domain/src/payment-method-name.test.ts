import { expect, test } from "vitest";
import { paymentMethodName } from "./payment-method-name.ts";

test("a card is named by brand and last digits, another method by its name", () => {
  expect(paymentMethodName({ brand: "visa", last4: "4242" })).toBe("Visa •••• 4242");
  expect(paymentMethodName({ brand: "paypal", last4: null })).toBe("PayPal");
  expect(paymentMethodName({ brand: "sepa_debit", last4: "3000" })).toBe("SEPA Direct Debit •••• 3000");
});

test("an unknown method is named by Stripe's key with spaces", () => {
  expect(paymentMethodName({ brand: "new_wallet", last4: null })).toBe("New wallet");
});
