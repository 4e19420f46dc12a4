import type { CallDetailsResponse } from "@farline/contract/call-details.ts";
import { z } from "zod";
import type { Tx } from "../../platform/database/database.ts";
import type { Leg } from "../calls.tables.ts";
import { readQuality, readReceivedAudio } from "./quality.store.ts";

export type CallSound = CallDetailsResponse["quality"];

/** As many as a small chart can show. */
const MOST_SAMPLES = 240;

/** The provider writes its figures as text; anything else reads as not told. */
const figure = z.union([z.string().regex(/^\d{1,9}(\.\d{1,6})?$/), z.number().nonnegative()]).transform(Number);
const receivedAudio = z.object({ packet_count: figure, mos: figure.nullish().catch(null) });

/** How a call sounded: to the browser, and at the exchange, which is a witness of neither side. */
export async function readCallSound(tx: Tx, callId: string): Promise<CallSound> {
  const [samples, legs] = await Promise.all([readQuality(tx, callId, MOST_SAMPLES), readReceivedAudio(tx, callId)]);
  const heard = (leg: Leg) => {
    const told = receivedAudio.safeParse(legs.find((one) => one.leg === leg && one.received !== null)?.received);
    return told.success ? { packets: Math.floor(told.data.packet_count), mos: told.data.mos ?? null } : null;
  };
  return { samples, from_caller: heard("parked"), from_called: heard("far") };
}
