const KEY = "farline-call-of-this-tab";

/** The call that this tab is, or was, in: it survives a reload of the page and nothing else. */
export const callMarker = {
  set(callId: string): void {
    if (typeof sessionStorage !== "undefined") sessionStorage.setItem(KEY, callId);
  },
  clear(): void {
    if (typeof sessionStorage !== "undefined") sessionStorage.removeItem(KEY);
  },
  get(): string | null {
    return typeof sessionStorage === "undefined" ? null : sessionStorage.getItem(KEY);
  },
};
