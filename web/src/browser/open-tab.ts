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
