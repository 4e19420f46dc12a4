import type { ForgivenSilence } from "@farline/domain/calls/forgiven-silence.ts";
import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";
import type { CallRow } from "../record/calls.tables.ts";

/** From now to its end, this transaction alone forgives silence, so that it counts all that others forgave. Locked after calls and accounts. */
export async function takeForgivingTurn(tx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('forgiven_silence', 0))`.execute(tx);
}

/** What was forgiven for calls that ended since then. */
export async function readForgiven(
  tx: Transaction,
  call: Pick<CallRow, "customer_id" | "destination">,
  since: Date,
): Promise<Omit<ForgivenSilence, "hasPaid">> {
  const { rows } = await sql<Omit<ForgivenSilence, "hasPaid">>`
    select coalesce(sum(forgiven_micros) filter (where customer_id = ${call.customer_id}), 0)::bigint as "toAccountMicros",
      coalesce(sum(forgiven_micros) filter (where destination = ${call.destination}), 0)::bigint as "forNumberMicros",
      coalesce(sum(forgiven_micros), 0)::bigint as "inAllMicros"
    from call where forgiven_micros > 0 and ended_at > ${since}`.execute(tx);
  const [sums] = rows;
  if (sums === undefined) throw new Error("A sum is always one row.");
  return sums;
}
