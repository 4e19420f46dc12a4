import type { CallEventRow, Leg } from "../record/calls.tables.ts";
import type { Fact } from "./derive-outcome.ts";
import { providerFact, type ProviderEvent } from "./read-provider-event.ts";

/** An event to store for a call. Facts are derived from the stored form. */
export type NewEvent = Omit<CallEventRow, "call_id" | "received_at">;

type ServiceKind = Exclude<Fact["kind"], ProviderEvent["kind"]>;

/** A provider's event about one of the call's legs. */
export function providerEvent(event: ProviderEvent, leg: Leg): NewEvent {
  return { id: event.id, source: "provider", kind: event.kind, leg, occurred_at: event.occurredAt, payload: event.payload };
}

/** An event of the service itself. Its id is derived from call, kind and leg, so only the first of each is stored. */
export function serviceEvent(
  callId: string,
  e: { kind: ServiceKind; leg?: Leg; at: Date; answeredAt?: Date | null; callerGone?: boolean },
): NewEvent {
  return {
    id: [callId, e.kind, e.leg].filter((part) => part !== undefined).join(":"),
    source: "service",
    kind: e.kind,
    leg: e.leg ?? null,
    occurred_at: e.at,
    payload: { answered_at: e.answeredAt?.toISOString() ?? null, caller_gone: e.callerGone ?? false },
  };
}

/** The far leg's cost in dollars, from the provider's detail record. */
export function recordedCost(callId: string, { at, cost }: { at: Date; cost: string | number }): NewEvent {
  const payload = { total_cost: cost };
  return { id: `${callId}:record:cost`, source: "provider", kind: "cost", leg: "far", occurred_at: at, payload };
}

/** The fact that a stored event proves; null if it does not affect the call's state. */
export function factOf(row: CallEventRow): Fact | null {
  const atMs = row.occurred_at.getTime();
  if (row.source === "provider")
    return row.leg === null ? null : providerFact(row.kind as ProviderEvent["kind"], row.leg, row.occurred_at, row.payload);
  const kind = row.kind as ServiceKind;
  if (kind === "found_lost") return { kind, leg: row.leg as Leg, atMs };
  if (kind === "found_ended" || kind === "found_record") {
    const answeredAt = row.payload["answered_at"];
    return { kind, leg: row.leg as Leg, atMs, answeredAtMs: typeof answeredAt === "string" ? Date.parse(answeredAt) : null };
  }
  if (kind === "transfer_failed") return { kind, leg: null, atMs, callerGone: row.payload["caller_gone"] === true };
  return { kind, leg: null, atMs };
}
