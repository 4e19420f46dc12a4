import { useEffect, useState } from "react";
import { useNavigate } from "react-router";
import { onPageBack } from "./page-life.ts";
import { isCallLive } from "../session/session.ts";

/** Another site's page in a tab of its own. If the browser blocked the tab, the user opens `url` with a link. */
export interface OtherTab {
  readonly url: string;
  readonly isBlocked: boolean;
}

/**
 * Opens another site's page in its own tab, so that the call in this one goes on. Call it in the click handler: tabs opened later are
 * blocked as pop-ups.
 * @param order returns the page's address
 * @throws what `order` throws, with the tab closed
 */
export async function openInTab(order: () => Promise<string>): Promise<OtherTab> {
  const tab = openEmptyTab();
  try {
    const url = await order();
    if (tab !== null) {
      // The other site's page must not have access to this one.
      tab.opener = null;
      tab.location.replace(url);
    }
    return { url, isBlocked: tab === null };
  } catch (error) {
    tab?.close();
    throw error;
  }
}

/**
 * Null if blocked. A new tab begins with a copy of this one's session storage, which names its call and its phone line. With them it
 * could take over the call when it returns to our site, so the copy is removed.
 */
function openEmptyTab(): Window | null {
  const tab = window.open("", "_blank");
  try {
    tab?.sessionStorage.clear();
  } catch {
    // Storage is blocked: nothing was copied.
  }
  return tab;
}

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
