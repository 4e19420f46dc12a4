import { randomUUID } from "node:crypto";
import type { OperatorCallResponse } from "@farline/contract/operator/calls.ts";
import { sql } from "kysely";
import type { Tx } from "../src/platform/database/database.ts";
import { insertPastCalls, type PastCall } from "./past-calls.ts";

export interface ManyCalls extends Omit<PastCall, "customerId"> {
  readonly by: readonly string[];
  /** Calls of each customer. */
  readonly each: number;
  /** What the browsers measured; absent if nothing. */
  readonly mos?: number;
  readonly attempts?: readonly Partial<OperatorCallResponse["attempts"][number]>[];
}

/** Inserts equal past calls of several customers that were sent to a carrier, without charges in the ledger. */
export async function insertManyCalls(db: Tx, { by, each, mos, attempts = [], ...call }: ManyCalls): Promise<void> {
  const [model] = await insertPastCalls(db, [{ customerId: by[0] ?? "", ...call }]);
  const owners = by.flatMap((customer) => Array.from({ length: each }, () => customer));
  const ids = owners.map(() => randomUUID());
  const changes = sql`jsonb_build_object('id', new.id, 'customer_id', new.owner, 'transferred_at', created_at,
    'ticket_hash', '\\x' || repeat(md5(new.id::text), 2), 'trunk_attempts', ${JSON.stringify(attempts)}::jsonb)`;
  await sql`insert into call select copy.* from call c, unnest(${ids}::uuid[], ${owners}::uuid[]) as new(id, owner),
    jsonb_populate_record(c, ${changes}) as copy where c.id = ${model}`.execute(db);
  await sql`delete from call where id = ${model}`.execute(db);
  if (mos === undefined) return;
  await sql`insert into call_quality (call_id, second, mos, jitter_ms, loss_pct)
    select id, 5, ${mos}::real, 1, 0 from unnest(${ids}::uuid[]) as id`.execute(db);
}
