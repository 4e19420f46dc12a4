import type { CheckoutResponse } from "@farline/contract/billing.ts";
import { paymentMethodName } from "@farline/domain/payment-method-name.ts";
import { queryOptions } from "@tanstack/react-query";
import { useState } from "react";
import { useOtherSite } from "../../browser/open-tab.ts";
import { readOwn, writeOwn } from "../../browser/own-storage.ts";
import { randomId } from "../../browser/random-id.ts";
import { request, wasCancelled } from "../../service/http.ts";
import { forgetSeen } from "../../service/last-seen.ts";
import { queryKeys } from "../../service/queries.ts";
import { withProof } from "../../service/robot-check.ts";
import { i18n, leftToRight } from "../../text/i18n.ts";
import { deviceStamp, isRecent } from "../../time/clock.ts";

/** `GET /api/billing/packages` */
export const packagesQuery = queryOptions({
  queryKey: queryKeys.packages,
  queryFn: async ({ signal }) => (await request("GET /api/billing/packages", { signal })).packages,
  staleTime: 5 * 60_000,
  meta: { failure: () => i18n.t("billing:packagesFailure") },
});

/** The service asks the card provider before it answers. */
export const PROVIDER_TIMEOUT_MS = 30_000;

/** `GET /api/billing/auto-top-up`, with the saved cards. Under the statement's key: they change together. */
export const autoTopUpQuery = queryOptions({
  queryKey: [...queryKeys.transactions, "auto-top-up"],
  queryFn: ({ signal }) => request("GET /api/billing/auto-top-up", { signal, timeoutMs: PROVIDER_TIMEOUT_MS }),
  meta: { failure: () => i18n.t("billing:autoTopUp.loadFailure") },
});

/** A card as "Visa •••• 4242", or "PayPal", also within right-to-left text. */
export function cardText(card: { readonly brand: string; readonly last4: string | null }): string {
  return leftToRight(paymentMethodName(card));
}

/** With a card used once, a card to be saved, or a saved card. */
interface Choices {
  readonly promo_code?: string;
  readonly keep_card?: true;
  readonly card_id?: string;
}

type Purchase =
  | { readonly endpoint: "POST /api/billing/top-up"; readonly body: Choices & { readonly amount: string } }
  | { readonly endpoint: "POST /api/billing/purchase-package"; readonly body: Choices & { readonly package_id: string } }
  | {
      readonly endpoint: "POST /api/billing/gifts";
      readonly body: { readonly token: string; readonly amount: string; readonly greeting: string; readonly card_id?: never };
    };

/**
 * Orders a payment and returns the provider's page; with a saved card, the bank's page or the result.
 * @throws ApiError
 */
export function useOrder() {
  const [checking, setChecking] = useState(false);

  async function order(purchase: Purchase): Promise<CheckoutResponse> {
    const cardId = purchase.body.card_id;
    const headers: Record<string, string> =
      cardId === undefined ? {} : { "Idempotency-Key": requestKey(cardId, JSON.stringify(purchase)) };
    const checkout = await withProof(
      (proof) => request(purchase.endpoint, { body: { ...purchase.body, proof }, headers, timeoutMs: PROVIDER_TIMEOUT_MS }),
      setChecking,
    );
    if (cardId !== undefined) writeOwn(cardId, ATTEMPT, null);
    forgetSeen("transactions");
    return checkout;
  }

  return { checking, order };
}

const ATTEMPT = "payment-attempt";
/** As long as the service retries a charge whose response was lost. */
const ATTEMPT_MS = 10 * 60_000;

/**
 * One key for all attempts of one payment whose answer has not arrived, also after a reload and in other tabs, so that a saved card is
 * charged once. Kept with the card, which belongs to one customer.
 */
function requestKey(cardId: string, purchase: string): string {
  const [at, known, ...rest] = (readOwn(cardId, ATTEMPT) ?? "").split(" ");
  if (known !== undefined && rest.join(" ") === purchase && isRecent(Number(at), ATTEMPT_MS)) return known;
  const key = randomId();
  writeOwn(cardId, ATTEMPT, `${deviceStamp()} ${key} ${purchase}`);
  return key;
}

/** Starts a payment and leads to the provider's page; with a saved card, to the bank's page or the result. */
export function useCheckout(onFailure: (error: unknown) => void) {
  const { busy, tab, go } = useOtherSite();
  const { checking, order } = useOrder();

  /** Call it in the click handler: during a call it opens a tab. */
  async function checkOut(purchase: Purchase): Promise<void> {
    try {
      await go(async () => (await order(purchase)).checkout_url, purchase.body.card_id !== undefined);
    } catch (error) {
      if (!wasCancelled(error)) onFailure(error);
    }
  }

  return { busy, checking, tab, checkOut };
}
