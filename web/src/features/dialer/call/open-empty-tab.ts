/**
 * Opens a tab for another site's page; null if blocked. Call it in the click handler. A new tab begins with a
 * copy of this one's session storage, which names its call and its phone line. With them it could take over the call when it
 * returns to our site, so the copy is removed.
 */
export function openEmptyTab(): Window | null {
  const tab = window.open("", "_blank");
  try {
    tab?.sessionStorage.clear();
  } catch {
    // Storage is blocked: nothing was copied.
  }
  return tab;
}
