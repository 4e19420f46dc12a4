import type { CallDetailsResponse } from "@farline/contract/call-details.ts";
import { z } from "zod";
import type { Tx } from "../../platform/database/database.ts";
import type { Leg } from "../record/calls.tables.ts";
import { readQuality, readReceivedAudio } from "./quality.store.ts";

type CallSound = CallDetailsResponse["quality"];

/** Enough for a small chart. */
const MAX_SAMPLES = 240;

/** The provider sends numbers as text. Invalid values count as missing. */
const measurement = z.union([z.string().regex(/^\d{1,9}(\.\d{1,6})?$/), z.number().nonnegative()]).transform(Number);
const receivedAudio = z.object({ packet_count: measurement, mos: measurement.nullish().catch(null) });

/** A call's sound quality as measured by the browser and, independently of both sides, by the exchange. */
export async function readCallSound(tx: Tx, callId: string): Promise<CallSound> {
  const [samples, legs] = await Promise.all([readQuality(tx, callId, MAX_SAMPLES), readReceivedAudio(tx, callId)]);
  const heard = (leg: Leg) => {
    const parsed = receivedAudio.safeParse(legs.find((one) => one.leg === leg && one.received !== null)?.received);
    return parsed.success ? { packets: Math.floor(parsed.data.packet_count), mos: parsed.data.mos ?? null } : null;
  };
  return { samples, from_caller: heard("parked"), from_called: heard("far") };
}
