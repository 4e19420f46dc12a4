import { DAY_MS } from "@farline/domain/durations.ts";
import { z } from "zod";
import type { CallChanges } from "../record/call.store.ts";
import type { CallEventRow } from "../record/calls.tables.ts";

const MAX_ATTEMPTS = 8;
const LONGEST_MS = DAY_MS;

const trunkName = z.string().min(1).max(64);
/** Invalid values count as unknown, so that they don't invalidate the rest. */
const attempt = z.object({
  trunk: trunkName,
  started_at: z.iso.datetime({ offset: true }),
  duration_ms: z.int().min(0).max(LONGEST_MS),
  post_dial_delay_ms: z.int().min(0).max(LONGEST_MS).nullable().catch(null),
  sip_status: z.int().min(100).max(699).nullable().catch(null),
  q850_cause: z.int().min(0).max(127).nullable().catch(null),
  outcome: z.enum(["answered", "refused", "failed", "silent", "unanswered", "cancelled"]),
});
const route = z.object({ trunk: trunkName, trunk_attempts: z.array(attempt).max(MAX_ATTEMPTS) });

/**
 * Reads the trunk and its attempts from the far leg's events; empty if they name none. The hang-up overrides the answer, and the
 * earliest of several events of a kind counts.
 */
export function routeChanges(events: readonly CallEventRow[]): Pick<CallChanges, "trunk" | "trunk_attempts"> {
  const naming = events
    .filter(({ source, leg, kind }) => source === "provider" && leg === "far" && (kind === "answered" || kind === "hangup"))
    .toSorted((a, b) => rank(a) - rank(b) || a.occurred_at.getTime() - b.occurred_at.getTime() || (a.id < b.id ? -1 : 1));
  for (const { payload } of naming) {
    const read = route.safeParse(payload);
    if (read.success) return { trunk: read.data.trunk, trunk_attempts: JSON.stringify(read.data.trunk_attempts) };
  }
  return {};
}

function rank({ kind }: CallEventRow): number {
  return kind === "hangup" ? 0 : 1;
}
