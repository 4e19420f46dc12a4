import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";

/** Filters the legs that belong to no live call. */
export async function filterUnknownLegs(tx: Tx, callControlIds: readonly string[]): Promise<string[]> {
  if (callControlIds.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select leg.id
    from unnest(${callControlIds}::text[]) as leg (id)
    where not exists (
      select from call
      where call.next_check_at is not null and leg.id in (call.parked_call_control_id, call.far_call_control_id)
    )`.execute(tx);
  return rows.map(({ id }) => id);
}
