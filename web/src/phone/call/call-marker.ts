const KEY = "farline-call-of-this-tab";

/**
 * The call that this tab is, or was, in. It survives only a reload of the page. If storage is blocked or full there is no
 * marker, and a call cannot be rejoined after a reload.
 */
export const callMarker = {
  set: (callId: string): void => write(callId),
  clear: (): void => write(null),
  get(): string | null {
    try {
      return sessionStorage.getItem(KEY);
    } catch {
      return null;
    }
  },
};

function write(callId: string | null): void {
  try {
    if (callId === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, callId);
  } catch {
    // The call continues without its marker.
  }
}
