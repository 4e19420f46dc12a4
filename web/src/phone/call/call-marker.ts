import { readTab, writeTab } from "../../browser/storage.ts";

const KEY = "farline-call-of-this-tab";

interface MarkedCall {
  /** The service's id. */
  callId: string;
  /** The SDK's id, by which the provider offers the call again. */
  lineId: string;
}

/**
 * The call that this tab is, or was, in. It survives only a reload of the page; where storage is blocked or full not even that, and
 * the call cannot be rejoined.
 */
export const callMarker = {
  set({ callId, lineId }: MarkedCall): void {
    writeTab(KEY, `${callId} ${lineId}`);
  },
  clear(): void {
    writeTab(KEY, null);
  },
  get(): MarkedCall | null {
    const [callId, lineId] = readTab(KEY)?.split(" ") ?? [];
    // Pages of the previous release wrote one id, which was both.
    return callId === undefined ? null : { callId, lineId: lineId ?? callId };
  },
};
