import { useRef, useState } from "react";
import { randomId } from "../../../browser/random-id.ts";
import { request, wasCancelled } from "../../../service/http.ts";
import { withProof } from "../../../service/robot-check.ts";
import { useOtherSite } from "../../../browser/open-tab.ts";

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

/** Longer than other timeouts: a checkout calls the card provider. */
const CHECKOUT_TIMEOUT_MS = 30_000;

/** Starts a payment and leads to the provider's page; with a saved card, to the bank's page or the result. */
export function useCheckout(onFailure: (error: unknown) => void) {
  const { busy, tab, go } = useOtherSite();
  const [checking, setChecking] = useState(false);
  const attempt = useRef<{ readonly purchase: string; readonly key: string } | null>(null);

  /** Stable across retries of one payment, so that a saved card is charged once. */
  function requestKey(purchase: Purchase): string {
    const text = JSON.stringify(purchase);
    if (attempt.current?.purchase !== text) attempt.current = { purchase: text, key: randomId() };
    return attempt.current.key;
  }

  /** The address of the page to pay on. */
  async function order(purchase: Purchase): Promise<string> {
    const headers: Record<string, string> =
      purchase.body.card_id === undefined ? {} : { "Idempotency-Key": requestKey(purchase) };
    const timeoutMs = CHECKOUT_TIMEOUT_MS;
    const { checkout_url } = await withProof(
      (proof) => request(purchase.endpoint, { body: { ...purchase.body, proof }, headers, timeoutMs }),
      setChecking,
    );
    attempt.current = null;
    return checkout_url;
  }

  /** Call it in the click handler: during a call it opens a tab. */
  async function checkOut(purchase: Purchase): Promise<void> {
    try {
      await go(() => order(purchase), purchase.body.card_id !== undefined);
    } catch (error) {
      if (!wasCancelled(error)) onFailure(error);
    }
  }

  return { busy, checking, tab, checkOut };
}
