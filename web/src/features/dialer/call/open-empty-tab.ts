/**
 * Opens a tab for another site's page; null if blocked. Call it in the click handler. A new tab begins with a
 * copy of this one's session storage, which names its call and its phone line: with them it could take the call over when it
 * comes back to us, so nothing of it stays there.
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
