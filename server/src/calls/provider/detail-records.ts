import { dialledNumber } from "@farline/domain/numbers/extension.ts";
import { BadRequestError, type Telnyx } from "telnyx";
import type { Logger } from "pino";
import { z } from "zod";
import type { CallRow } from "../record/calls.tables.ts";
import { isUnknown, providerError } from "./telnyx-client.ts";

/** `sip-trunking` has the far leg; `call-control` also has legs created through the API. */
const RECORD_TYPES = ["sip-trunking", "call-control"] as const;
/** A call has two legs and a few attempts to reach the number. */
const MAX_RECORDS = 20;

const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const amount = z.union([z.string(), z.number()]);

/** Telnyx publishes no type for these records. Invalid values in optional fields count as missing. */
const detailRecord = z.object({
  id: z.string().nullish().catch(null),
  telnyx_leg_id: z.string().nullish().catch(null),
  cld: z.string().nullish().catch(null),
  started_at: time.nullish().catch(null),
  answered_at: time.nullish().catch(null),
  finished_at: time,
  call_sec: z.number().nonnegative().nullish().catch(null),
  cost: amount.nullish().catch(null),
  currency: z.string().nullish().catch(null),
});

/** The provider's detail record of the far leg. */
export interface LegRecord {
  readonly id: string;
  /** Null if nobody answered. */
  readonly answeredAt: Date | null;
  readonly endedAt: Date;
  /** The provider's charge in dollars, as text or number; null if unknown or in another currency. */
  readonly cost: string | number | null;
}

/** `none_yet`: a record may still appear. `not_kept`: this provider keeps no records. */
type RecordResult = LegRecord | "none_yet" | "not_kept";

/**
 * Finds the detail record of a call's far leg, for calls whose events were lost. (A leg's status does not contain the answer time, and
 * is gone after ten minutes.)
 */
export async function findDetailRecord(telnyx: Telnyx, call: CallRow, log: Logger): Promise<RecordResult> {
  if (call.session_id === null) return "not_kept";
  for (const type of RECORD_TYPES) {
    try {
      const filter = { record_type: type, telnyx_session_id: call.session_id };
      const page = await telnyx.detailRecords.list({ filter, "page[size]": MAX_RECORDS });
      const record = recordOf(page.data, call);
      if (record !== null) return record;
    } catch (error) {
      const known = providerError(error);
      if (isUnknown(known)) return "not_kept";
      log.warn({ err: known, call: call.id, record_type: type }, "detail records not available");
      if (!(known instanceof BadRequestError)) return "none_yet";
    }
  }
  return "none_yet";
}

/** Picks the record of the leg to the called number: the far leg's own, or else the shortest, in the customer's favour. */
function recordOf(data: readonly unknown[], call: CallRow): LegRecord | null {
  const records = data.flatMap((one) => {
    const { data: record } = detailRecord.safeParse(one);
    return record !== undefined && dialledNumber(record.cld ?? null) === call.destination ? [record] : [];
  });
  const own = records.filter(({ id, telnyx_leg_id: leg }) => call.far_leg_id !== null && (leg ?? id) === call.far_leg_id);
  const known = (own.length > 0 ? own : records).map(legRecordOf);
  const answered = known.filter(({ answeredAt }) => answeredAt !== null);
  return (answered.length > 0 ? answered : known).toSorted((a, b) => talkMs(a) - talkMs(b))[0] ?? null;
}

function legRecordOf(record: z.output<typeof detailRecord>): LegRecord {
  const { answered_at: answered, finished_at: finished, call_sec: seconds, cost, currency } = record;
  const talked = seconds === null || seconds === undefined ? null : seconds * 1000;
  const answeredAt = talked === 0 ? null : (answered ?? (talked === null ? null : new Date(finished.getTime() - talked)));
  const endedAt =
    answeredAt === null || talked === null ? finished : new Date(Math.min(finished.getTime(), answeredAt.getTime() + talked));
  const inDollars = currency === "USD" ? (cost ?? null) : null;
  return { id: record.id ?? finished.toISOString(), answeredAt, endedAt, cost: inDollars };
}

function talkMs({ answeredAt, endedAt }: LegRecord): number {
  return answeredAt === null ? 0 : endedAt.getTime() - answeredAt.getTime();
}
