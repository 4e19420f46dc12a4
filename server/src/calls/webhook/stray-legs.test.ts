import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createCallWorld, LONDON, type CallWorld, type ParkedLeg } from "../../../test/worlds/call-world.ts";
import type { Customer } from "../../accounts/accounts.ts";
import { unwrittenCall } from "../../../test/draft-call.ts";

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld({ limitsScale: 0 });
});
afterAll(() => world.close());
beforeEach(() => world.provider.calmDown());

const later = (ms: number) => new Date(world.clock.now().getTime() + ms);

interface Started {
  readonly customer: Customer;
  readonly leg: ParkedLeg;
  readonly id: string;
}

async function startedCall(): Promise<Started> {
  const customer = await world.customer();
  const started = await world.initiate(customer);
  const leg = await world.park(started);
  return { customer, leg, id: started.call.id };
}

describe("a far leg that the service did not command is hung up with its call and starts no charge:", () => {
  const blocked = "+881612345678";

  async function strayLeg(payload: Record<string, unknown>, { leg }: Started): Promise<string> {
    const stray = `v3:${randomUUID()}`;
    world.provider.legs.set(stray, { alive: true, endedAt: null });
    for (const [index, type] of ["call.initiated", "call.answered", "call.bridged"].entries())
      await world.deliver({
        type,
        callControlId: stray,
        occurredAt: later(index * 1_000),
        payload: { call_session_id: leg.session, state: "bridging", ...payload },
      });
    return stray;
  }

  test.each([
    ["in the call's session, without a mark", () => ({ to: blocked })],
    ["in the call's session, to the call's own number, without a mark", () => ({ to: LONDON })],
    ["with the call's mark, to another number", (mark: string) => ({ client_state: mark, to: blocked })],
    ["with the call's mark, without a number", (mark: string) => ({ client_state: mark, to: null })],
    [
      "with the call's mark, in another session",
      (mark: string) => ({ client_state: mark, to: LONDON, call_session_id: "other" }),
    ],
    ["with a forged mark", () => ({ client_state: Buffer.from('{"leg":"far"}').toString("base64"), to: LONDON })],
  ])("%s", async (_name, payload) => {
    const started = await startedCall();
    const stray = await strayLeg(payload(world.farState(started.leg.parked)), started);
    expect(world.provider.legs.get(stray)?.alive).toBe(false);
    expect(world.provider.legs.get(started.leg.parked)?.alive).toBe(false);
    expect(await world.readCall(started.customer, started.id)).toMatchObject({ status: "initiated", answered_at: null });
  });

  test("with another call's mark, where the marked call continues and the call it was added to ends", async () => {
    const [other, started] = [await startedCall(), await startedCall()];
    const stray = await strayLeg({ client_state: world.farState(other.leg.parked), to: LONDON }, started);
    const alive = [stray, started.leg.parked, other.leg.parked].map((id) => world.provider.legs.get(id)?.alive);
    expect(alive).toEqual([false, false, true]);
    expect(await world.readCall(other.customer, other.id)).toMatchObject({ answered_at: null });
  });

  test("with the mark of a call that does not exist", async () => {
    const stray = `v3:${randomUUID()}`;
    world.provider.legs.set(stray, { alive: true, endedAt: null });
    const payload = { client_state: world.ctx.secrets.farLegMark(unwrittenCall()), to: LONDON };
    await world.deliver({ type: "call.answered", callControlId: stray, occurredAt: later(0), payload });
    expect(world.provider.legs.get(stray)?.alive).toBe(false);
  });

  test("a commanded leg that switches to another number is hung up too", async () => {
    const { customer, leg, id } = await startedCall();
    world.provider.legs.set(leg.far, { alive: true, endedAt: null });
    const good = { client_state: world.farState(leg.parked), call_session_id: leg.session, state: "bridging" };
    await world.deliver({ type: "call.initiated", callControlId: leg.far, occurredAt: later(100), payload: good });
    const payload = { ...good, to: blocked };
    await world.deliver({ type: "call.answered", callControlId: leg.far, occurredAt: later(5_000), payload });
    expect(world.provider.legs.get(leg.far)?.alive).toBe(false);
    expect(await world.readCall(customer, id)).toMatchObject({ status: "ringing", answered_at: null });
  });
});

describe("a browser's leg that was never parked belongs to no call, even with a valid ticket:", () => {
  test.each(["call.initiated", "call.answered", "call.bridged"])("%s", async (type) => {
    const customer = await world.customer();
    const started = await world.initiate(customer);
    const callControlId = `v3:${randomUUID()}`;
    world.provider.legs.set(callControlId, { alive: true, endedAt: null });
    const payload = { client_state: Buffer.from(started.ticket).toString("base64"), to: LONDON, state: "bridging" };
    await world.deliver({ type, callControlId, occurredAt: later(0), payload });
    expect(world.provider.legs.get(callControlId)?.alive).toBe(false);
    expect(await world.readCall(customer, started.call.id)).toMatchObject({ telnyx_call_control_id: null });
  });
});
