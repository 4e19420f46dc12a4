import { randomUUID } from "node:crypto";
import type { EventToSend } from "../fakes/scripted-telnyx.ts";
import type { CallWorld, ParkedLeg } from "./call-world.ts";

/** All events of an answered call except the first, which `park` delivers. @param talkMs milliseconds between answer and end */
export function eventsOfCall(world: CallWorld, leg: ParkedLeg, talkMs: number): EventToSend[] {
  const later = (ms: number): Date => new Date(world.clock.now().getTime() + ms);
  const far = { call_session_id: leg.session, client_state: world.farState(leg.parked) };
  const parked = { call_session_id: leg.session };
  return [
    {
      type: "call.initiated",
      callControlId: leg.far,
      occurredAt: later(100),
      payload: { ...far, state: "bridging", call_leg_id: "far-leg" },
    },
    { type: "call.answered", callControlId: leg.far, occurredAt: later(5_000), payload: far },
    { type: "call.answered", callControlId: leg.parked, occurredAt: later(5_004), payload: parked },
    { type: "call.bridged", callControlId: leg.far, occurredAt: later(5_005), payload: far },
    {
      type: "call.hangup",
      callControlId: leg.far,
      occurredAt: later(5_200 + talkMs),
      payload: {
        ...far,
        end_time: later(5_000 + talkMs).toISOString(),
        hangup_cause: "normal_clearing",
        hangup_source: "callee",
        sip_hangup_cause: "200",
      },
    },
    {
      type: "call.hangup",
      callControlId: leg.parked,
      occurredAt: later(5_300 + talkMs),
      payload: { ...parked, hangup_cause: "normal_clearing" },
    },
    {
      type: "call.cost",
      callControlId: leg.far,
      occurredAt: later(6_000 + talkMs),
      payload: { ...far, status: "success", total_cost: "0.0140" },
    },
  ].map((event) => ({ ...event, id: randomUUID() }));
}
