import { useState } from "react";
import { openInTab } from "../../../browser/open-tab.ts";
import { request } from "../../../service/http.ts";

/** Longer than other timeouts: a checkout calls the card provider. */
const CHECKOUT_TIMEOUT_MS = 30_000;

export type CheckoutTab =
  | { readonly step: "choose" }
  | { readonly step: "opening"; readonly packageId: string }
  /** The card provider's page is open in its own tab, or was blocked: the user then opens `url`. */
  | { readonly step: "paying"; readonly url: string; readonly blocked: boolean }
  | { readonly step: "failed"; readonly error: unknown };

/** Pays for a package in another tab, so that the page with the call stays open. */
export function useCheckoutTab() {
  const [state, setState] = useState<CheckoutTab>({ step: "choose" });

  /** Call it in the click handler: tabs opened later are blocked as pop-ups. */
  async function pay(packageId: string): Promise<void> {
    setState({ step: "opening", packageId });
    try {
      const { url, isBlocked } = await openInTab(async () => {
        const body = { package_id: packageId };
        const answer = await request("POST /api/billing/purchase-package", { body, timeoutMs: CHECKOUT_TIMEOUT_MS });
        return answer.checkout_url;
      });
      setState({ step: "paying", url, blocked: isBlocked });
    } catch (error) {
      setState({ step: "failed", error });
    }
  }

  return { state, pay, again: () => setState({ step: "choose" }) };
}
