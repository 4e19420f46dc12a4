import { z } from "zod";
import { draftCall } from "./call.store.ts";
import type { CallRow } from "./calls.tables.ts";

const text = z.string().min(1).max(500);
const moment = z.codec(z.iso.datetime(), z.date(), {
  decode: (iso) => new Date(iso),
  encode: (date) => date.toISOString(),
});
const micros = z.codec(z.string().regex(/^\d{1,18}$/), z.bigint(), { decode: BigInt, encode: String });
const bytes = z.codec(z.base64url(), z.instanceof(Buffer), {
  decode: (encoded) => Buffer.from(encoded, "base64url"),
  encode: (buffer) => buffer.toString("base64url"),
});

/** The data from which a call's row is rebuilt after a restore. */
const callOrder = z.object({
  customer_id: z.uuid(),
  payer_id: z.uuid().nullable(),
  destination: text,
  country_code: text,
  number_type: text,
  rate_prefix: text,
  rate_description: text,
  rate_per_minute_micros: micros,
  price_class: z.enum(["A", "B", "C"]),
  first_interval_seconds: z.int(),
  next_interval_seconds: z.int(),
  deck_id: z.uuid(),
  deck_effective_at: moment,
  held_micros: micros,
  cap_seconds: z.int(),
  bounded_by: z.enum(["credit", "longest_call", "spend_limit", "call_cap", "daily_cap", "family_limit"]),
  ticket_hash: bytes,
  ticket_expires_at: moment,
  ticket_used_at: moment.nullable(),
  parked_call_control_id: text.nullable(),
  parked_leg_id: text.nullable(),
  session_id: text.nullable(),
  caller_number: text.nullable(),
  created_at: moment,
});

export type CallOrder = Readonly<z.output<typeof callOrder>>;

/** The order as JSON values. */
export function encodeOrder(call: CallRow): unknown {
  return z.encode(callOrder, call);
}

/** @returns null if it is not an order */
export function decodeOrder(encoded: unknown): CallOrder | null {
  return z.safeDecode(callOrder, encoded as z.input<typeof callOrder>).data ?? null;
}

/** The row of a dialled call, as it was before any event of its far leg. */
export function rowOfOrder({ id, ...order }: CallOrder & Pick<CallRow, "id">, now: Date): CallRow {
  const { rate_prefix: prefix, rate_description: description, price_class: priceClass } = order;
  const draft = draftCall({
    id,
    customerId: order.customer_id,
    payerId: order.payer_id,
    sessionId: null,
    idempotencyKey: null,
    destination: {
      e164: order.destination,
      risk: null,
      priceClass,
      quote: {
        prefix,
        description,
        countryCode: order.country_code,
        numberType: order.number_type,
        ratePerMinuteMicros: order.rate_per_minute_micros,
        firstIntervalSeconds: order.first_interval_seconds,
        nextIntervalSeconds: order.next_interval_seconds,
        deckId: order.deck_id,
        deckEffectiveAt: order.deck_effective_at,
        hasMargin: true,
      },
    },
    callerNumber: order.caller_number ?? "",
    createdAt: order.created_at,
    ticketHash: order.ticket_hash,
    ticketExpiresAt: order.ticket_expires_at,
  });
  return { ...draft, ...order, decided_by: null, transferred_at: order.ticket_used_at, next_check_at: now };
}
