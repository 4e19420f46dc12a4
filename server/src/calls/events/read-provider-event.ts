import { CALL_TICKET_HEADER } from "@farline/contract/constants.ts";
import { z } from "zod";
import type { Leg } from "../record/calls.tables.ts";
import type { Fact } from "./derive-outcome.ts";

const text = z.string().max(2_000);
/** Invalid values in optional fields count as missing. */
const maybe = <T extends z.ZodType>(type: T) => type.nullish().catch(null);

const envelope = z.object({
  data: z.object({
    id: z.string().min(1).max(255),
    event_type: z.string().max(100),
    occurred_at: z.iso.datetime({ offset: true }),
    payload: z.looseObject({
      call_control_id: z.string().min(1).max(512),
      call_leg_id: maybe(text),
      call_session_id: maybe(text),
      connection_id: maybe(text),
      client_state: maybe(z.string().max(8_000)),
      state: maybe(text),
      from: maybe(text),
      to: maybe(text),
      from_sip_uri: maybe(text),
    }),
  }),
});

const hangupPayload = z.object({
  hangup_cause: maybe(text),
  hangup_source: maybe(text),
  sip_hangup_cause: maybe(z.union([text, z.number()])),
  end_time: maybe(z.iso.datetime({ offset: true })),
  heard_until: maybe(z.iso.datetime({ offset: true })),
});
const costPayload = z.object({ total_cost: maybe(z.union([text, z.number()])) });
const headersPayload = z.object({
  custom_headers: maybe(
    z.array(z.object({ name: maybe(text), value: maybe(text), header_name: maybe(text), header_value: maybe(text) })).max(50),
  ),
});

const KINDS: Readonly<Record<string, ProviderEvent["kind"]>> = {
  "call.initiated": "initiated",
  "call.answered": "answered",
  "call.bridged": "bridged",
  "call.hangup": "hangup",
  "call.cost": "cost",
};

/** One signed event about one leg. */
export interface ProviderEvent {
  readonly id: string;
  readonly kind: "initiated" | "answered" | "bridged" | "hangup" | "cost";
  readonly occurredAt: Date;
  readonly callControlId: string;
  readonly legId: string | null;
  readonly sessionId: string | null;
  readonly connectionId: string | null;
  readonly clientState: string | null;
  /** `parked`: a browser's leg waiting for a command. */
  readonly state: string | null;
  readonly to: string | null;
  readonly from: string | null;
  /** Possible SIP users of the leg, including the caller that the browser claims. */
  readonly senders: readonly string[];
  /** The unparsed ticket from the leg's custom headers. */
  readonly ticketHeader: string | null;
  readonly payload: Record<string, unknown>;
}

/** Parses a verified event body. Null if it is not about a leg, or is of a kind that the service ignores. */
export function readProviderEvent(body: unknown): ProviderEvent | null {
  const parsed = envelope.safeParse(body);
  if (!parsed.success) return null;
  const { id, event_type, occurred_at } = parsed.data.data;
  // The state is not stored: it repeats what the call's row says.
  const { client_state: clientState = null, ...payload } = parsed.data.data.payload;
  const kind = KINDS[event_type];
  if (kind === undefined) return null;
  const fromUser = payload.from_sip_uri?.match(/^sips?:([^@;]+)/i)?.[1];
  const from = payload.from?.match(/^(?:sips?:)?([^@;]+)/i)?.[1];
  return {
    id,
    kind,
    occurredAt: new Date(occurred_at),
    callControlId: payload.call_control_id,
    legId: payload.call_leg_id ?? null,
    sessionId: payload.call_session_id ?? null,
    connectionId: payload.connection_id ?? null,
    clientState,
    state: payload.state ?? null,
    to: payload.to ?? null,
    from: payload.from ?? null,
    senders: [fromUser, from].filter((one) => one !== undefined),
    ticketHeader: ticketHeader(payload),
    payload,
  };
}

/** The fact that a provider's event proves. Null if it proves none (an unknown cost). */
export function providerFact(kind: ProviderEvent["kind"], leg: Leg, occurredAt: Date, payload: unknown): Fact | null {
  const atMs = occurredAt.getTime();
  if (kind === "cost") {
    const micros = costMicros(costPayload.safeParse(payload).data?.total_cost);
    return micros === null ? null : { kind, leg, atMs, micros };
  }
  if (kind !== "hangup") return { kind, leg, atMs };
  const end = hangupPayload.safeParse(payload).data;
  const sipStatus = Number(end?.sip_hangup_cause ?? Number.NaN);
  return {
    kind,
    leg,
    // The event is created a little after the end, so its end time is preferred.
    atMs: typeof end?.end_time === "string" ? new Date(end.end_time).getTime() : atMs,
    heardUntilMs: typeof end?.heard_until === "string" ? new Date(end.heard_until).getTime() : null,
    cause: end?.hangup_cause?.toLowerCase() ?? null,
    source: end?.hangup_source ?? null,
    sipStatus: Number.isInteger(sipStatus) ? sipStatus : null,
  };
}

/** Parses the provider's dollar amount, rounded up to a micro-dollar; null if it is not one. */
function costMicros(cost: string | number | null | undefined): bigint | null {
  const match = /^(\d{1,9})(?:\.(\d{1,12}))?$/.exec(String(cost ?? ""));
  if (match === null) return null;
  const fraction = (match[2] ?? "").padEnd(12, "0");
  const roundUp = BigInt(fraction.slice(6)) > 0n ? 1n : 0n;
  return BigInt(match[1] ?? "") * 1_000_000n + BigInt(fraction.slice(0, 6)) + roundUp;
}

/** Telnyx's documentation calls the fields `header_name` and `header_value`, its client's types `name` and `value`. */
function ticketHeader(payload: Record<string, unknown>): string | null {
  const headers = headersPayload.safeParse(payload).data?.custom_headers ?? [];
  const found = headers.find((header) => (header.name ?? header.header_name)?.toLowerCase() === CALL_TICKET_HEADER.toLowerCase());
  return found?.value ?? found?.header_value ?? null;
}
