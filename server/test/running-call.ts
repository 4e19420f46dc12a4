import type { InitiateResponse } from "@farline/contract/calls.ts";
import type { Customer } from "../src/accounts/accounts.ts";
import type { CallWorld, ParkedLeg } from "./worlds/call-world.ts";

/** A connected call, and what a test needs to continue it. */
export interface RunningCall {
  readonly customer: Customer;
  readonly leg: ParkedLeg;
  readonly id: string;
  /** Delivers the far end's hang-up at this time after the answer. */
  end(talkMs: number, hangup?: { cause?: string; source?: string }): Promise<void>;
}

/** Dials, unless it was `started`, and answers after a second of ringing. */
export async function startRunningCall(
  world: CallWorld,
  options: { customer?: Customer; creditMicros?: bigint; number?: string; started?: InitiateResponse } = {},
): Promise<RunningCall> {
  const { creditMicros, number } = options;
  const customer = options.customer ?? (await world.customer(creditMicros === undefined ? {} : { creditMicros }));
  const started = options.started ?? (await world.initiate(customer, number));
  const leg = await world.park(started);
  world.provider.legs.set(leg.far, { alive: true, endedAt: null });
  const payload = { call_session_id: leg.session, client_state: world.farState(leg.parked) };
  await world.deliver({
    type: "call.initiated",
    callControlId: leg.far,
    occurredAt: world.clock.now(),
    payload: { ...payload, state: "bridging" },
  });
  world.clock.advance(1_000);
  const answeredAt = world.clock.now();
  await world.deliver({ type: "call.answered", callControlId: leg.far, occurredAt: answeredAt, payload });
  return {
    customer,
    leg,
    id: started.call.id,
    async end(talkMs, { cause = "normal_clearing", source = "callee" } = {}) {
      const end = new Date(answeredAt.getTime() + talkMs);
      world.provider.legs.set(leg.far, { alive: false, endedAt: end.toISOString(), answeredAt: answeredAt.toISOString() });
      await world.deliver({
        type: "call.hangup",
        callControlId: leg.far,
        occurredAt: end,
        payload: { ...payload, end_time: end.toISOString(), hangup_cause: cause, hangup_source: source, sip_hangup_cause: "200" },
      });
    },
  };
}

/** Advances the clock and runs the service's jobs every second. */
export async function passTime(world: CallWorld, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 1) {
    world.clock.advance(1_000);
    await world.sweep();
  }
}
