const KEY = "farline-call-of-this-tab";

/**
 * The call that this tab is, or was, in: it survives a reload of the page and nothing else. Where storage is blocked or full
 * there is none, and a call is then not taken up again after a reload.
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
    // The call goes on without its marker.
  }
}
