const KEY = "farline-call-of-this-tab";

interface MarkedCall {
  /** The service's id. */
  callId: string;
  /** The SDK's id, by which the provider offers the call again. */
  lineId: string;
}

/**
 * The call that this tab is, or was, in. It survives only a reload of the page. If storage is blocked or full there is no
 * marker, and a call cannot be rejoined after a reload.
 */
export const callMarker = {
  set: ({ callId, lineId }: MarkedCall): void => write(`${callId} ${lineId}`),
  clear: (): void => write(null),
  get(): MarkedCall | null {
    try {
      const [callId, lineId] = sessionStorage.getItem(KEY)?.split(" ") ?? [];
      // Pages of the previous release wrote one id, which was both.
      return callId === undefined ? null : { callId, lineId: lineId ?? callId };
    } catch {
      return null;
    }
  },
};

function write(text: string | null): void {
  try {
    if (text === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, text);
  } catch {
    // The call continues without its marker.
  }
}
