import type { CallDetailsResponse, QualitySample, SoundRating } from "@farline/contract/call-details.ts";
import { sql } from "kysely";
import { z } from "zod";
import type { Tx } from "../../platform/database/database.ts";
import type { Leg } from "../record/calls.tables.ts";

/** Stores samples for seconds that have none yet. @returns how many were stored */
export async function insertQuality(tx: Tx, callId: string, samples: readonly QualitySample[]): Promise<number> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto("call_quality")
    .values(
      samples.map((sample) => ({
        call_id: callId,
        second: sample.t,
        mos: sample.mos,
        rtt_ms: sample.rttMs,
        jitter_ms: sample.jitterMs,
        loss_pct: sample.lossPct,
      })),
    )
    .onConflict((conflict) => conflict.columns(["call_id", "second"]).doNothing())
    .executeTakeFirst();
  return Number(numInsertedOrUpdatedRows ?? 0n);
}

/** At most `limit` samples: the worst of each of as many equal parts of the call, so that none of its troubles is left out. */
async function readQuality(tx: Tx, callId: string, limit: number): Promise<QualitySample[]> {
  const rows = await tx
    .with("numbered", (db) =>
      db
        .selectFrom("call_quality")
        .selectAll()
        .select([
          sql<bigint>`row_number() over (order by second) - 1`.as("place"),
          sql<bigint>`ceil(count(*) over () / ${limit}::numeric)::bigint`.as("part"),
        ])
        .where("call_id", "=", callId),
    )
    .selectFrom("numbered")
    .selectAll()
    .distinctOn(sql`place / part`)
    .orderBy(sql`place / part`)
    .orderBy("mos")
    .orderBy("second")
    .execute();
  return rows.map((row) => ({ t: row.second, mos: row.mos, rttMs: row.rtt_ms, jitterMs: row.jitter_ms, lossPct: row.loss_pct }));
}

/** The provider's statistics of the sound it received from each leg, from the hang-up events. */
async function readReceivedAudio(tx: Tx, callId: string): Promise<{ leg: Leg; received: unknown }[]> {
  const rows = await tx
    .selectFrom("call_event")
    .select(["leg", sql`payload -> 'call_quality_stats' -> 'inbound'`.as("received")])
    .where("call_id", "=", callId)
    .where("source", "=", "provider")
    .where("kind", "=", "hangup")
    .execute();
  return rows.flatMap(({ leg, received }) => (leg === null ? [] : [{ leg, received }]));
}

/** Stores how the caller heard the call, instead of an earlier answer. */
export async function saveRating(tx: Tx, callId: string, sound: SoundRating, at: Date): Promise<void> {
  await tx
    .insertInto("call_rating")
    .values({ call_id: callId, sound, rated_at: at })
    .onConflict((conflict) => conflict.column("call_id").doUpdateSet({ sound, rated_at: at }))
    .execute();
}

type CallSound = CallDetailsResponse["quality"];

/** Enough for a small chart. */
const MAX_SAMPLES = 240;

/** The provider sends numbers as text. Invalid values count as missing. */
const measurement = z.union([z.string().regex(/^\d{1,9}(\.\d{1,6})?$/), z.number().nonnegative()]).transform(Number);
const receivedAudio = z.object({ packet_count: measurement, mos: measurement.nullish().catch(null) });

/** A call's sound quality as measured by the browser and, independently of both sides, by the exchange. */
export async function readCallSound(tx: Tx, callId: string): Promise<CallSound> {
  const [samples, legs, rated] = await Promise.all([
    readQuality(tx, callId, MAX_SAMPLES),
    readReceivedAudio(tx, callId),
    tx.selectFrom("call_rating").select("sound").where("call_id", "=", callId).executeTakeFirst(),
  ]);
  const heard = (leg: Leg) => {
    const parsed = receivedAudio.safeParse(legs.find((one) => one.leg === leg && one.received !== null)?.received);
    return parsed.success ? { packets: Math.floor(parsed.data.packet_count), mos: parsed.data.mos ?? null } : null;
  };
  return { samples, from_caller: heard("parked"), from_called: heard("far"), rating: rated?.sound ?? null };
}
