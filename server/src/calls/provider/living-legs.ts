import type { Telnyx } from "telnyx";
import { z } from "zod";

const LEGS_A_PAGE = 100;
/** Without new legs on it, a page is a repetition, whatever its cursor says. */
const MAX_PAGES = 100;

const livingPage = z.object({
  data: z.array(z.object({ call_control_id: z.string(), call_duration: z.number().catch(0) })).default([]),
  meta: z.object({ cursors: z.object({ after: z.string().nullish() }).nullish() }).nullish(),
});

export interface LivingLeg {
  callControlId: string;
  /** Since it began. */
  seconds: number;
}

/**
 * The legs that live at a connection, at most `most`. The provider gives pages by cursor, while its client counts pages and would ask
 * for the first one again and again.
 */
export async function listLivingLegs(telnyx: Telnyx, connectionId: string, most: number): Promise<LivingLeg[]> {
  const legs = new Map<string, LivingLeg>();
  let after: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = { "page[limit]": LEGS_A_PAGE, ...(after === null ? {} : { "page[after]": after }) };
    const path = `/connections/${encodeURIComponent(connectionId)}/active_calls`;
    const { data, meta } = livingPage.parse(await telnyx.get<unknown>(path, { query }));
    const before = legs.size;
    for (const leg of data) legs.set(leg.call_control_id, { callControlId: leg.call_control_id, seconds: leg.call_duration });
    after = meta?.cursors?.after ?? null;
    if (after === null || legs.size === before || legs.size >= most) break;
  }
  return [...legs.values()].slice(0, most);
}
