import { chargeFor } from "@farline/domain/calls/charge.ts";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCallWorld, type CallWorld } from "../../../test/worlds/call-world.ts";
import { passTime, startRunningCall } from "../../../test/running-call.ts";

/** A landline in Haiti: $0.497 a minute, charged per full minute, as the carrier charges its $0.355. */
const HAITI = "+50922453300";
const MINUTE_MICROS = 497_000n;
const CARRIER_MINUTE = { ratePerMinuteMicros: 355_000n, firstIntervalSeconds: 60, nextIntervalSeconds: 60 };

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld({ limitsScale: 0 });
});
afterAll(() => world.close());

const micros = (dollars: string) => BigInt(Math.round(Number(dollars) * 1e6));

test.each([
  [13_000, 60],
  [60_000, 60],
  [60_001, 120],
  [61_000, 120],
])(
  "a call of %i ms is charged for %i s, above its cost, and its charge can be recomputed from the bill",
  async (talkMs, billed) => {
    const call = await startRunningCall(world, { number: HAITI });
    await call.end(talkMs);
    const bill = await world.readCall(call.customer, call.id);
    expect(bill).toMatchObject({
      status: "completed",
      billed_seconds: billed,
      first_interval_s: 60,
      next_interval_s: 60,
      rate_per_minute: "0.4970",
    });
    const recomputed = chargeFor(talkMs / 1000, {
      ratePerMinuteMicros: micros(bill.rate_per_minute),
      firstIntervalSeconds: bill.first_interval_s,
      nextIntervalSeconds: bill.next_interval_s,
    });
    expect(micros(bill.cost)).toBe(recomputed);
    expect(recomputed).toBeGreaterThan(chargeFor(talkMs / 1000, CARRIER_MINUTE));
    expect((await world.money(call.customer)).balanceMicros).toBe(5_000_000n - recomputed);
  },
);

test("credit for a minute and a half buys one minute; credit for less than a minute is refused", async () => {
  const customer = await world.customer({ creditMicros: (MINUTE_MICROS * 3n) / 2n });
  expect((await world.initiate(customer, HAITI)).call.max_seconds).toBe(60);
  const poor = await world.customer({ creditMicros: MINUTE_MICROS - 1n });
  await expect(world.initiate(poor, HAITI)).rejects.toThrow("insufficient_credit");
});

test("a top-up during a per-minute call extends it by whole minutes and holds credit for all of them", async () => {
  const call = await startRunningCall(world, { creditMicros: MINUTE_MICROS, number: HAITI });
  await passTime(world, 10);
  await world.ctx.ledger.credit(world.database.handle.db, {
    key: randomUUID(),
    customerId: call.customer.id,
    kind: "top_up",
    amountMicros: (MINUTE_MICROS * 5n) / 2n,
    referenceId: randomUUID(),
    description: "Top-up",
  });
  const extended = await world.request<{ call: { max_seconds: number } }>(call.customer, {
    method: "POST",
    path: `/api/calls/${call.id}/extend`,
  });
  expect(extended.body.call.max_seconds).toBe(180);
  await call.end(179_500);
  expect(await world.readCall(call.customer, call.id)).toMatchObject({ billed_seconds: 180, cost: "1.491" });
});
