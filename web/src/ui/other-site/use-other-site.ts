import { useEffect, useState } from "react";
import { useNavigate } from "react-router";
import { openInTab, type OtherTab } from "../../browser/open-tab.ts";
import { onPageBack } from "../../browser/page-life.ts";
import { isCallLive } from "../../session/session.ts";

/**
 * Leads to another site's page. During a call, which leaving this page would end, the page opens in its own tab, shown by
 * `OtherTabNotice`. Otherwise `busy` stays true until the browser has left; it is reset if there is no page to go to, and if the user
 * returns with Back to this page in the browser's cache.
 */
export function useOtherSite() {
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [tab, setTab] = useState<OtherTab | null>(null);
  useEffect(() => onPageBack(() => setBusy(false)), []);

  /**
   * Call it in the click handler.
   * @param order returns the page's address
   * @param orderFirst orders before a tab opens: for an order that may ask for the password, or may lead to a page of ours
   * @throws what `order` throws
   */
  async function go(order: () => Promise<string>, orderFirst = false): Promise<void> {
    setBusy(true);
    setTab(null);
    try {
      if (!isCallLive()) return window.location.assign(await order());
      const known = orderFirst ? new URL(await order(), window.location.href) : null;
      if (known?.origin === window.location.origin) await navigate(known.pathname + known.search);
      else setTab(await openInTab(known === null ? order : async () => known.href));
      setBusy(false);
    } catch (error) {
      setBusy(false);
      throw error;
    }
  }

  return { busy, tab, go };
}
