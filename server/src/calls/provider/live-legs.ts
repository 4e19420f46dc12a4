import type { Telnyx } from "telnyx";
import { z } from "zod";

const LEGS_A_PAGE = 100;
/** Guards against endless cursors, together with the check for pages that repeat. */
const MAX_PAGES = 100;

const liveLegsPage = z.object({
  data: z.array(z.object({ call_control_id: z.string(), call_duration: z.number().catch(0) })).default([]),
  meta: z.object({ cursors: z.object({ after: z.string().nullish() }).nullish() }).nullish(),
});

export interface LiveLeg {
  callControlId: string;
  /** Age of the leg. */
  seconds: number;
}

/**
 * Lists at most `limit` live legs of a connection. Reads the pages by cursor, because the client's own pagination counts pages and
 * would request the first one repeatedly.
 */
export async function listLiveLegs(telnyx: Telnyx, connectionId: string, limit: number): Promise<LiveLeg[]> {
  const legs = new Map<string, LiveLeg>();
  let after: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = { "page[limit]": LEGS_A_PAGE, ...(after === null ? {} : { "page[after]": after }) };
    const path = `/connections/${encodeURIComponent(connectionId)}/active_calls`;
    const { data, meta } = liveLegsPage.parse(await telnyx.get<unknown>(path, { query }));
    const before = legs.size;
    for (const leg of data) legs.set(leg.call_control_id, { callControlId: leg.call_control_id, seconds: leg.call_duration });
    after = meta?.cursors?.after ?? null;
    if (after === null || legs.size === before || legs.size >= limit) break;
  }
  return [...legs.values()].slice(0, limit);
}
