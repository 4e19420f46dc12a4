import { afterAll, beforeAll, expect, test } from "vitest";
import { startRunningCall } from "../../../test/running-call.ts";
import { createCallWorld, type CallWorld } from "../../../test/worlds/call-world.ts";

const GHANA_MOBILE = "+233241234567";

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld({ limitsScale: 0 });
});
afterAll(() => world.close());

/** A call that the exchange ended a minute after its answer. The caller was last heard after 15 s. */
async function lostCall(number: { number?: string } = {}) {
  const { customer, id, leg } = await startRunningCall(world, { creditMicros: 50_000_000n, ...number });
  const { answered_at: answeredAt } = await world.readCall(customer, id);
  const at = (ms: number) => new Date(Date.parse(answeredAt ?? "") + ms);
  await world.deliver({
    type: "call.hangup",
    callControlId: leg.far,
    occurredAt: at(60_000),
    payload: {
      call_session_id: leg.session,
      client_state: world.farState(leg.parked),
      end_time: at(60_000).toISOString(),
      heard_until: at(15_000).toISOString(),
      ...{ hangup_cause: "unspecified", hangup_source: "caller", sip_hangup_cause: "408" },
    },
  });
  return world.readCall(customer, id);
}

test("a caller who was lost pays until they were last heard", async () => {
  expect(await lostCall()).toMatchObject({ end_reason: "connection_lost", duration_seconds: 15, billed_seconds: 15 });
});

test("a lost caller pays for the whole call to an expensive destination", async () => {
  expect(await lostCall({ number: GHANA_MOBILE })).toMatchObject({ end_reason: "connection_lost", billed_seconds: 60 });
});
