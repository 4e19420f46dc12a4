import { SAMPLE_EVERY_SECONDS, type QualitySample } from "@farline/contract/call-details.ts";
import type { CallRow } from "../record/calls.tables.ts";
import { insertQuality } from "./quality.store.ts";
import type { Context } from "../../context.ts";

/** The last samples may arrive after the call, from a page that was offline. */
const ACCEPTED_AFTER_END_MS = 10 * 60_000;
/** Tolerance for a browser clock that is ahead of the service's. */
const AHEAD_MS = 60_000;

/**
 * Stores the browser's sound samples of a call: at most one per interval, and none from outside the call.
 * @returns how many were stored
 */
export async function saveQuality({ handle, clock }: Context, call: CallRow, samples: readonly QualitySample[]): Promise<number> {
  const now = clock.now().getTime();
  if (call.answered_at === null) return 0;
  if (call.ended_at !== null && now > call.ended_at.getTime() + ACCEPTED_AFTER_END_MS) return 0;
  const lastMs = (call.ended_at?.getTime() ?? now) + AHEAD_MS - call.answered_at.getTime();
  const bySpan = new Map<number, QualitySample>();
  for (const sample of samples) {
    const t = sample.t - (sample.t % SAMPLE_EVERY_SECONDS);
    if (t * 1000 <= lastMs && !bySpan.has(t)) bySpan.set(t, { ...sample, t });
  }
  return bySpan.size === 0 ? 0 : insertQuality(handle.db, call.id, [...bySpan.values()]);
}
