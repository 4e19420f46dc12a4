import { settleWithin } from "@farline/domain/durations.ts";
import type { BrowserLeg, LegStats } from "../media/media-plane.ts";

/** The final media counters may delay the `call.hangup` events by this much. */
const STATS_TIMEOUT_MS = 1_000;

/** Closes a call's media. @returns its counters; null if they do not come in time */
export async function closeInTime(media: BrowserLeg): Promise<LegStats | null> {
  const closed = media.close().catch(() => null);
  return settleWithin(closed, STATS_TIMEOUT_MS, () => null);
}
