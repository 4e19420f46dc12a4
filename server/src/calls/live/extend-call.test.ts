import { sql } from "kysely";
import type { ExtendResponse } from "@farline/contract/calls.ts";
import { chargeFor } from "@farline/domain/calls/charge.ts";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createCallWorld, LONDON, type CallWorld } from "../../../test/worlds/call-world.ts";
import { passTime, startRunningCall, type RunningCall } from "../../../test/running-call.ts";
import type { Customer } from "../../accounts/accounts.ts";

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld({ limitsScale: 0 });
});
afterAll(() => world.close());
beforeEach(() => world.provider.calmDown());

/** The cost of `minutes` of talk with London. */
function priceOfMinutes(minutes: number): bigint {
  const quote = world.ctx.rates.quote(LONDON, "visitor");
  if (quote === null) throw new Error("London has no rate.");
  return chargeFor(minutes * 60, quote);
}

/** A call with credit for two minutes. */
const twoMinutes = () => startRunningCall(world, { creditMicros: priceOfMinutes(2) });

/** Adds credit like a top-up. `publishesHint`: also publishes the live hint. */
async function topUp(customer: Customer, minutes: number, publishesHint = true): Promise<void> {
  await world.ctx.ledger.credit(world.database.handle.db, {
    key: randomUUID(),
    customerId: customer.id,
    kind: "top_up",
    amountMicros: priceOfMinutes(minutes),
    referenceId: randomUUID(),
    description: "Top-up",
  });
  if (publishesHint) world.ctx.live.publish(customer.id, { type: "balance" });
}

async function extend({ customer, id }: RunningCall) {
  const answer = await world.request<ExtendResponse>(customer, { method: "POST", path: `/api/calls/${id}/extend` });
  expect(answer.status).toBe(200);
  return answer.body;
}

/** The limits commanded for this call only, because calls of earlier tests may still be running. */
const limitsAtProvider = ({ leg }: RunningCall) =>
  world.provider
    .commandsOf("extend")
    .filter(({ path }) => path.includes(leg.far))
    .map(({ body }) => body["time_limit_secs"]);

describe("a top-up during a call", () => {
  test("raises the hold, the provider's limit and the deadline by what it pays for", async () => {
    const call = await twoMinutes();
    const before = await world.readCall(call.customer, call.id);
    expect(before).toMatchObject({ max_seconds: 120, bounded_by: "credit", extendable: true });
    const hints = world.hintsFor(call.customer);
    await topUp(call.customer, 3);
    await expect.poll(async () => (await world.readCall(call.customer, call.id)).max_seconds).toBe(300);
    // The hint about the call's own hold may also trigger an extension, which repeats the same limit.
    expect(new Set(limitsAtProvider(call))).toEqual(new Set([300]));
    expect(await world.money(call.customer)).toMatchObject({ heldMicros: priceOfMinutes(5), availableMicros: 0n });
    expect(hints).toContainEqual({ type: "call", id: call.id, status: "in-progress" });

    // It is cut at the new limit, not at the first.
    await passTime(world, 150);
    expect(await world.readCall(call.customer, call.id)).toMatchObject({ status: "in-progress" });
    await call.end(300_000, { cause: "time_limit" });
    expect(await world.readCall(call.customer, call.id)).toMatchObject({
      status: "completed",
      end_reason: "credit_used_up",
      billed_seconds: 300,
    });
    expect(await world.money(call.customer)).toMatchObject({ balanceMicros: 0n, heldMicros: 0n });
  });

  test("is noticed by the sweeper if the live hint was lost", async () => {
    const call = await twoMinutes();
    await topUp(call.customer, 1, false);
    await passTime(world, 15);
    expect((await world.readCall(call.customer, call.id)).max_seconds).toBe(180);
    expect(limitsAtProvider(call)).toEqual([180]);
  });

  test("is released at the end if it was not used", async () => {
    const call = await twoMinutes();
    await topUp(call.customer, 10);
    await expect.poll(async () => (await world.readCall(call.customer, call.id)).max_seconds).toBe(720);
    await call.end(150_000);
    const { charge_micros } = await rowOf(call.id);
    expect(charge_micros).toBe(priceOfMinutes(2.5));
    expect(await world.money(call.customer)).toMatchObject({ heldMicros: 0n, balanceMicros: priceOfMinutes(12) - charge_micros });
  });

  test("never extends the call beyond the longest call allowed", async () => {
    const call = await twoMinutes();
    await topUp(call.customer, 600);
    await expect.poll(async () => (await world.readCall(call.customer, call.id)).bounded_by).toBe("longest_call");
    await expect.poll(async () => (await world.readCall(call.customer, call.id)).max_seconds).toBe(3_600);
    expect(limitsAtProvider(call)).toEqual([3_600]);
    expect((await world.money(call.customer)).availableMicros).toBe(priceOfMinutes(602) - priceOfMinutes(60));
    expect((await extend(call)).outcome).toBe("longest_call");
  });

  test("extends the call once when extensions are requested concurrently", async () => {
    const call = await twoMinutes();
    await topUp(call.customer, 3, false);
    await world.database.warmUp();
    await Promise.all(Array.from({ length: 10 }, () => extend(call)));
    expect((await world.readCall(call.customer, call.id)).max_seconds).toBe(300);
    expect(new Set(limitsAtProvider(call))).toEqual(new Set([300]));
    expect(await world.money(call.customer)).toMatchObject({ heldMicros: priceOfMinutes(5) });
  });

  test("changes nothing after the call's end", async () => {
    const call = await twoMinutes();
    await call.end(60_000);
    await topUp(call.customer, 3);
    expect((await extend(call)).outcome).toBe("not_possible");
    expect(limitsAtProvider(call)).toEqual([]);
    expect((await world.money(call.customer)).heldMicros).toBe(0n);
  });
});

describe("when the provider does not raise the limit", () => {
  test("because it is unreachable, the sweeper retries", async () => {
    const call = await twoMinutes();
    world.provider.extendFailure = { status: 500 };
    await topUp(call.customer, 3, false);
    expect(await extend(call)).toMatchObject({ outcome: "not_possible", call: { max_seconds: 120, extendable: true } });
    world.provider.extendFailure = null;
    await passTime(world, 15);
    expect((await world.readCall(call.customer, call.id)).max_seconds).toBe(300);
  });

  test("because the service crashed before it stored the new limit, the call is neither cut early nor undercharged", async () => {
    const call = await twoMinutes();
    await topUp(call.customer, 3, false);
    await extend(call);
    // Simulates a crash before the provider's response was stored.
    await sql`update call set limit_seconds = 120, ends_at = answered_at + interval '2 minutes' where id = ${call.id}`.execute(
      world.database.handle.db,
    );
    await call.end(250_000);
    expect(await world.readCall(call.customer, call.id)).toMatchObject({ billed_seconds: 250, duration_seconds: 250 });
  });
});

test("a call limited by its credit never holds more than that credit, even after many extensions", async () => {
  const call = await twoMinutes();
  for (const seconds of [180, 240, 300]) {
    await topUp(call.customer, 1, false);
    // The previous extension's live hint may use the credit first, so the outcome is not checked.
    expect((await extend(call)).call.max_seconds).toBe(seconds);
  }
  expect((await extend(call)).outcome).toBe("no_credit");
  expect(await world.money(call.customer)).toMatchObject({ balanceMicros: priceOfMinutes(5), heldMicros: priceOfMinutes(5) });
  // The same limit may be commanded twice, but limits never shrink.
  expect([...new Set(limitsAtProvider(call))]).toEqual([180, 240, 300]);
});

test("another customer's call cannot be extended", async () => {
  const call = await twoMinutes();
  const stranger = await world.customer();
  const answer = await world.request(stranger, { method: "POST", path: `/api/calls/${call.id}/extend` });
  expect(answer.status).toBe(404);
});

async function rowOf(id: string): Promise<{ charge_micros: bigint }> {
  const { rows } = await sql<any>`select charge_micros from call where id = ${id}`.execute(world.database.handle.db);
  return rows[0];
}
