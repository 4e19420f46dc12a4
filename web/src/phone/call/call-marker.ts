import { readTab, writeTab } from "../../browser/storage.ts";
import { deviceStamp } from "../../time/clock.ts";

const KEY = "farline-call-of-this-tab";
const MUTED = "muted";

interface MarkedCall {
  /** The service's id. */
  callId: string;
  /** The SDK's id, by which the provider offers the call again. */
  lineId: string;
  /** Whether the caller had muted themselves. */
  muted: boolean;
  /** Digits to send after the answer; "" if there are none, or they are sent. */
  extension: string;
  /** When the page that was in the call was left (`deviceStamp`); null if it was not, or had no time to note it. */
  leftAt: number | null;
}

/**
 * The call that this tab is, or was, in. It survives only a reload of the page; where storage is blocked or full not even that, and
 * the call cannot be rejoined.
 */
export const callMarker = {
  set({ callId, lineId, muted, extension, leftAt = null }: Omit<MarkedCall, "leftAt"> & Partial<MarkedCall>): void {
    writeTab(KEY, [callId, lineId, leftAt ?? 0, muted ? MUTED : "", extension].join(" "));
  },
  /** The page leaves the call: from now on the provider waits for it. */
  leave(): void {
    const marked = callMarker.get();
    if (marked !== null) callMarker.set({ ...marked, leftAt: deviceStamp() });
  },
  clear(): void {
    writeTab(KEY, null);
  },
  get(): MarkedCall | null {
    const [callId, lineId, leftAt, mark, extension = ""] = readTab(KEY)?.split(" ") ?? [];
    // Pages of the previous release wrote one id, which was both.
    return callId === undefined
      ? null
      : { callId, lineId: lineId ?? callId, leftAt: Number(leftAt) || null, muted: mark === MUTED, extension };
  },
};
