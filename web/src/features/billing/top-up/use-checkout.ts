import { useEffect, useRef, useState } from "react";
import { request, wasCancelled } from "../../../service/http.ts";
import { withProof } from "../../../service/robot-check.ts";

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

/**
 * Starts a payment and opens the provider's page; with a saved card, the bank's page or the result. `busy` stays true until the browser has left. It is
 * reset if the payment could not be started, and if the user returns with Back to this page in the browser's cache.
 */
export function useCheckout(onFailure: (error: unknown) => void) {
  const [busy, setBusy] = useState(false);
  const [checking, setChecking] = useState(false);
  const attempt = useRef<{ readonly purchase: string; readonly key: string } | null>(null);
  useEffect(() => {
    const restored = (event: PageTransitionEvent) => {
      if (event.persisted) setBusy(false);
    };
    window.addEventListener("pageshow", restored);
    return () => window.removeEventListener("pageshow", restored);
  }, []);

  /** Stable across retries of one payment, so that a saved card is charged once. */
  function requestKey(purchase: Purchase): string {
    const text = JSON.stringify(purchase);
    if (attempt.current?.purchase !== text) attempt.current = { purchase: text, key: crypto.randomUUID() };
    return attempt.current.key;
  }

  async function checkOut(purchase: Purchase): Promise<void> {
    setBusy(true);
    try {
      const headers: Record<string, string> =
        purchase.body.card_id === undefined ? {} : { "Idempotency-Key": requestKey(purchase) };
      const timeoutMs = CHECKOUT_TIMEOUT_MS;
      const { checkout_url } = await withProof(
        (proof) => request(purchase.endpoint, { body: { ...purchase.body, proof }, headers, timeoutMs }),
        setChecking,
      );
      attempt.current = null;
      window.location.assign(checkout_url);
    } catch (error) {
      setBusy(false);
      if (!wasCancelled(error)) onFailure(error);
    }
  }

  return { busy, checking, checkOut };
}
