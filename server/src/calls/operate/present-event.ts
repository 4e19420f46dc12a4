import { loggable } from "@farline/domain/mask-personal.ts";
import type { OperatorCallResponse } from "@farline/contract/operator/calls.ts";
import type { CallEventRow } from "../record/calls.tables.ts";

type Rung = OperatorCallResponse["ladder"][number];

/** What operators read of an event: why and how it ended, and what it cost. The rest repeats the call or is the provider's own. */
const SHOWN = ["hangup_cause", "hangup_source", "sip_hangup_cause", "heard_until", "state", "answered_at", "caller_gone"];
const SHOWN_WITH_COSTS = [...SHOWN, "total_cost"];
const MAX_CHARACTERS = 60;

export function presentEvent(event: CallEventRow, mayReadCosts: boolean): Rung {
  const { occurred_at: at, received_at: receivedAt, source, kind, leg, payload } = event;
  return {
    at: at.toISOString(),
    received_at: receivedAt.toISOString(),
    source,
    kind,
    leg,
    detail: detailOf(payload, mayReadCosts),
  };
}

/** Values come from the provider, so they are bounded and masked. */
function detailOf(payload: Readonly<Record<string, unknown>>, mayReadCosts: boolean): string {
  return (mayReadCosts ? SHOWN_WITH_COSTS : SHOWN)
    .flatMap((name) => {
      const value = payload[name];
      const isShown = (typeof value === "string" && value !== "") || typeof value === "number" || value === true;
      return isShown ? [`${name} ${loggable(String(value).slice(0, MAX_CHARACTERS))}`] : [];
    })
    .join(", ");
}
