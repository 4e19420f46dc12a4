import type { ForgivenSilence } from "@farline/domain/calls/forgiven-silence.ts";
import { sql } from "kysely";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import { isPaidBy } from "../record/call.store.ts";
import type { CallRow } from "../record/calls.tables.ts";

/** Serialises transactions that forgive silence, so that each counts what the others forgave. Lock after calls and accounts. */
export async function lockForgivenSilence(tx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('forgiven_silence', 0))`.execute(tx);
}

/** The amounts forgiven for calls that ended since a time. */
export async function readForgivenSilence(
  tx: Transaction,
  call: Pick<CallRow, "customer_id" | "payer_id" | "destination">,
  since: Date,
): Promise<Omit<ForgivenSilence, "hasPaid">> {
  const { rows } = await sql<Omit<ForgivenSilence, "hasPaid">>`
    select coalesce(sum(forgiven_micros) filter (where ${isPaidBy(call.payer_id ?? call.customer_id)}), 0)::bigint as "toAccountMicros",
      coalesce(sum(forgiven_micros) filter (where destination = ${call.destination}), 0)::bigint as "forNumberMicros",
      coalesce(sum(forgiven_micros), 0)::bigint as "inAllMicros"
    from call where forgiven_micros > 0 and ended_at > ${since}`.execute(tx);
  const [sums] = rows;
  if (sums === undefined) throw new Error("The sums of forgiven silence returned no row.");
  return sums;
}

/** Filters the legs that belong to no live call. */
export async function filterUnknownLegs(tx: Tx, callControlIds: readonly string[]): Promise<string[]> {
  if (callControlIds.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select leg.id
    from unnest(${callControlIds}::text[]) as leg (id)
    where not exists (
      select from call
      where call.ended_at is null and leg.id in (call.parked_call_control_id, call.far_call_control_id)
    )`.execute(tx);
  return rows.map(({ id }) => id);
}
