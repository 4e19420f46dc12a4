import { randomUUID } from "node:crypto";
import { carrierCost } from "../calls/carrier-cost.ts";
import type { CallEvent, CallLeg } from "../calls/call-leg.ts";
import { callQuality } from "../calls/call-quality.ts";

/** An event as posted, without the `meta` of the attempt. */
export interface WebhookEvent {
  readonly record_type: "event";
  readonly event_type: CallEvent["type"];
  readonly id: string;
  readonly occurred_at: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

const instant = (at: Date): string => at.toISOString();

function common(leg: CallLeg): Record<string, unknown> {
  return {
    call_control_id: leg.controlId,
    call_leg_id: leg.legId,
    call_session_id: leg.sessionId,
    connection_id: leg.connectionId,
    client_state: leg.clientState,
    from: leg.from,
    to: leg.to,
    start_time: instant(leg.startedAt),
  };
}

/** The type-specific fields; null for a cost that is unknown, and for what only the journal needs. */
function specificFields(event: CallEvent): Record<string, unknown> | null {
  const { leg } = event;
  switch (event.type) {
    case "call.initiated":
      return {
        direction: "outgoing",
        state: leg.side === "browser" ? "parked" : "bridging",
        caller_id_name: leg.callerName,
        custom_headers: leg.customHeaders,
        calling_party_type: leg.side === "browser" ? "sip" : "pstn",
        from_sip_uri: leg.side === "browser" ? `sip:${leg.username}@exchange.invalid` : null,
      };
    case "call.dialog":
      return null;
    case "call.answered":
      return { state: "answered", custom_headers: leg.customHeaders, ...route(leg) };
    case "call.bridged":
      return {};
    case "call.hangup":
      return {
        state: "hangup",
        end_time: instant(event.at),
        hangup_cause: leg.end?.cause ?? "unspecified",
        hangup_source: leg.end?.source ?? "unknown",
        sip_hangup_cause: String(leg.end?.sipStatus ?? 500),
        call_quality_stats: callQuality(leg.side, event.stats),
        // Our extension: the service does not charge the silence before a lost connection.
        ...(leg.heardUntil === null ? {} : { heard_until: instant(leg.heardUntil) }),
        ...route(leg),
      };
    default: {
      if (leg.cost === null) return null;
      const { billedSeconds, cost, pricePerMinute } = carrierCost(leg, leg.cost);
      const part = {
        call_part: "sip-trunking",
        billed_duration_secs: billedSeconds,
        rate: pricePerMinute,
        cost,
        currency: "USD",
      };
      return {
        status: "success",
        billed_duration_secs: billedSeconds,
        total_cost: cost,
        cost_parts: [part],
        billing_group_id: null,
      };
    }
  }
}

/** Our extension: the trunk of a far leg, and all attempts. */
function route({ trunk, attempts }: CallLeg): Record<string, unknown> {
  if (trunk === null) return {};
  return {
    trunk,
    trunk_attempts: attempts.map((one) => ({
      trunk: one.trunk,
      started_at: instant(one.startedAt),
      duration_ms: one.durationMs,
      post_dial_delay_ms: one.postDialDelayMs,
      sip_status: one.sipStatus,
      q850_cause: one.q850Cause,
      outcome: one.outcome,
    })),
  };
}

/** Converts an event to the provider's format; null if the service does not need it. */
export function webhookEvent(event: CallEvent): WebhookEvent | null {
  const fields = specificFields(event);
  if (fields === null) return null;
  return {
    record_type: "event",
    event_type: event.type,
    id: randomUUID(),
    occurred_at: instant(event.at),
    payload: { ...common(event.leg), ...fields },
  };
}
