import type { ExtendResponse } from "@farline/contract/calls.ts";
import { chargeFor } from "@farline/domain/calls/charge.ts";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { passTime, startRunningCall, type RunningCall } from "../../../test/running-call.ts";
import { createCallWorld, LONDON, type CallWorld } from "../../../test/worlds/call-world.ts";
import { claimCallsToEnd } from "./live-call.store.ts";
import type { Customer } from "../../accounts/accounts.ts";

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld();
});
afterAll(() => world.close());
beforeEach(() => {
  world.provider.calmDown();
  world.provider.extraCommands = [];
});

/** The cost of `minutes` of talk with London. */
function priceOfMinutes(minutes: number): bigint {
  const quote = world.ctx.rates.quote(LONDON, "visitor");
  if (quote === null) throw new Error("London has no rate.");
  return chargeFor(minutes * 60, quote);
}

async function topUp(customer: Customer, minutes: number): Promise<void> {
  await world.ctx.ledger.credit(world.database.handle.db, {
    key: randomUUID(),
    customerId: customer.id,
    kind: "top_up",
    amountMicros: priceOfMinutes(minutes),
    referenceId: randomUUID(),
    description: "Top-up",
  });
}

async function extend({ customer, id }: RunningCall): Promise<ExtendResponse> {
  const answer = await world.request<ExtendResponse>(customer, { method: "POST", path: `/api/calls/${id}/extend` });
  expect(answer.status).toBe(200);
  return answer.body;
}

describe("at a provider that cannot raise limits of running calls", () => {
  const limitToldFor = ({ leg }: RunningCall) =>
    world.provider.commandsOf("transfer").find(({ path }) => path.includes(leg.parked))?.body["time_limit_secs"];

  async function callWithMargin(): Promise<RunningCall> {
    const customer = await world.customer({ creditMicros: priceOfMinutes(2), tier: "known" });
    return startRunningCall(world, { customer });
  }

  test("a top-up extends the call within the margin without a command to the provider", async () => {
    const call = await callWithMargin();
    expect(limitToldFor(call)).toBe(120 + 600);
    await topUp(call.customer, 3);
    expect(await extend(call)).toMatchObject({ outcome: "extended", call: { max_seconds: 300, extendable: true } });
    await topUp(call.customer, 60);
    expect((await extend(call)).call.max_seconds).toBe(720);
    expect(await extend(call)).toMatchObject({ outcome: "not_possible", call: { max_seconds: 720, extendable: false } });
    expect(world.provider.commandsOf("extend")).toEqual([]);
  });

  test("the service ends the call at its own limit, even after downtime", async () => {
    for (const downSeconds of [0, 45]) {
      const call = await callWithMargin();
      await passTime(world, 118);
      expect(await world.readCall(call.customer, call.id)).toMatchObject({ status: "in-progress" });
      world.clock.advance(downSeconds * 1_000);
      await passTime(world, 3);
      expect(world.provider.legs.get(call.leg.far)?.alive).toBe(false);
      await call.end(123_000 + downSeconds * 1_000);
      expect(await world.readCall(call.customer, call.id)).toMatchObject({
        status: "completed",
        end_reason: "credit_used_up",
        billed_seconds: 120,
      });
      expect(await world.money(call.customer)).toMatchObject({ balanceMicros: 0n, heldMicros: 0n });
    }
  });

  test("a leg that cannot be ended at the limit is ended later without a charge beyond the limit", async () => {
    const call = await callWithMargin();
    world.provider.hangUpFailure = { status: 500 };
    await passTime(world, 125);
    world.provider.hangUpFailure = null;
    await passTime(world, 15);
    expect(world.provider.legs.get(call.leg.far)?.alive).toBe(false);
    await call.end(140_000);
    expect(await world.readCall(call.customer, call.id)).toMatchObject({ status: "completed", billed_seconds: 120 });
  });

  test("a call is claimed once at its limit, and not where the provider ends it itself", async () => {
    const withMargin = await callWithMargin();
    const customer = await world.customer({ creditMicros: priceOfMinutes(2), tier: "new" });
    const without = await startRunningCall(world, { customer });
    const claim = async () => {
      const claimed = await claimCallsToEnd(world.database.handle.db, world.clock.now(), 10);
      return claimed.map(({ id }) => id).filter((id) => id === withMargin.id || id === without.id);
    };
    world.clock.advance(105_000);
    expect(await claim()).toEqual([]);
    world.clock.advance(20_000);
    expect(await claim()).toEqual([withMargin.id]);
    expect(await claim()).toEqual([]);
    for (const call of [withMargin, without]) await call.end(121_000);
    world.clock.advance(60_000);
    expect(await claim()).toEqual([]);
  });

  test("a new customer's call has no margin and is reported as not extendable", async () => {
    const customer = await world.customer({ creditMicros: priceOfMinutes(2), tier: "new" });
    const call = await startRunningCall(world, { customer });
    expect(await world.readCall(customer, call.id)).toMatchObject({ max_seconds: 120, extendable: false });
    expect(limitToldFor(call)).toBe(120);
  });
});
