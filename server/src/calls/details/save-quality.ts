import { SAMPLE_EVERY_SECONDS, type QualitySample } from "@farline/contract/call-details.ts";
import type { CallParts } from "../call-parts.ts";
import type { CallRow } from "../calls.tables.ts";
import { insertQuality } from "./quality.store.ts";

/** The last samples of a call may come after its end, from a page that had no network. */
const TAKEN_AFTER_END_MS = 10 * 60_000;
/** How far a browser's timer may be ahead of the service's. */
const AHEAD_MS = 60_000;

/**
 * Keeps what the browser reports about the sound of its call: one sample for each few seconds of the call, none for a time
 * when there was no call.
 * @returns how many were kept
 */
export async function saveQuality(
  { handle, clock }: Pick<CallParts, "handle" | "clock">,
  call: CallRow,
  samples: readonly QualitySample[],
): Promise<number> {
  const now = clock.now().getTime();
  if (call.answered_at === null) return 0;
  if (call.ended_at !== null && now > call.ended_at.getTime() + TAKEN_AFTER_END_MS) return 0;
  const lastMs = (call.ended_at?.getTime() ?? now) + AHEAD_MS - call.answered_at.getTime();
  const bySpan = new Map<number, QualitySample>();
  for (const sample of samples) {
    const t = sample.t - (sample.t % SAMPLE_EVERY_SECONDS);
    if (t * 1000 <= lastMs && !bySpan.has(t)) bySpan.set(t, { ...sample, t });
  }
  return bySpan.size === 0 ? 0 : insertQuality(handle.db, call.id, [...bySpan.values()]);
}
