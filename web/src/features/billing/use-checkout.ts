import { checkoutResponse } from "@farline/contract/billing.ts";
import { useEffect, useState } from "react";
import { request } from "../../lib/http.ts";

type Purchase =
  | { readonly path: "/billing/top-up"; readonly body: { readonly amount: string; readonly promo_code?: string } }
  | { readonly path: "/billing/purchase-package"; readonly body: { readonly package_id: string; readonly promo_code?: string } };

/** A checkout asks the card provider in turn: longer than other answers. */
const CHECKOUT_TIMEOUT_MS = 30_000;

/**
 * Opens a payment and leads the browser to the provider's page. `busy` stays true until the browser has left; it is
 * reset when the payment could not be opened, and when the person comes back with the Back key to the kept page.
 */
export function useCheckout(onFailure: (error: unknown) => void) {
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    const restored = (event: PageTransitionEvent) => {
      if (event.persisted) setBusy(false);
    };
    window.addEventListener("pageshow", restored);
    return () => window.removeEventListener("pageshow", restored);
  }, []);

  async function checkOut(purchase: Purchase): Promise<void> {
    setBusy(true);
    try {
      const { checkout_url } = await request("POST", purchase.path, checkoutResponse, {
        body: purchase.body,
        timeoutMs: CHECKOUT_TIMEOUT_MS,
      });
      window.location.assign(checkout_url);
    } catch (error) {
      setBusy(false);
      onFailure(error);
    }
  }

  return { busy, checkOut };
}
