import type { CallQuoteResponse } from "@farline/contract/calls.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Warned } from "../../platform/metric.ts";
import { createCallWorld, LONDON, type CallWorld } from "../../../test/worlds/call-world.ts";

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld();
});
afterAll(() => world.close());
beforeEach(() => {
  world.provider.extraCommands.push("trunks");
});

interface TrunkOfExchange {
  readonly name?: string;
  readonly prefixes?: readonly string[];
  readonly costMicros?: bigint | null;
  readonly refused_with?: number | null;
  readonly failing?: boolean;
}

async function useTrunks(...trunks: readonly TrunkOfExchange[]): Promise<void> {
  world.provider.trunks = trunks.map(({ name = "main", prefixes = [], costMicros = null, ...state }) => ({
    ...{ record_type: "trunk", refused_with: null, failing: false, down: false, name, prefixes, ...state },
    cost: costMicros === null ? null : { rate_per_minute: toDecimalString(costMicros), first_interval: 1, next_interval: 1 },
  }));
  await world.ctx.trunks.read();
}

function priceMicros(): bigint {
  const quote = world.ctx.rates.quote(LONDON, "visitor");
  if (quote === null) throw new Error("London has no rate.");
  return quote.ratePerMinuteMicros;
}

async function warnings(): Promise<(string | Warned | null)[]> {
  return Promise.all(world.ctx.trunks.metrics.map(async (metric) => metric.warning?.((await metric.read()) as number) ?? null));
}

test("a call whose trunks all cost as much as it sells for is refused before anything is held, and the operator is warned", async () => {
  const customer = await world.customer();
  await useTrunks({ costMicros: priceMicros() }, { name: "america", prefixes: ["+1"] });
  const request = { destination_number: LONDON };
  const refused = await world.request(customer, { method: "POST", path: "/api/calls/initiate", body: request });
  expect(refused).toMatchObject({ status: 503, body: { code: "destination_paused" } });
  const quote = await world.request<CallQuoteResponse>(customer, { method: "POST", path: "/api/calls/quote", body: request });
  expect(quote.body.refusal?.code).toBe("destination_paused");
  expect((await world.ctx.ledger.balance(world.database.handle.db, customer.id)).heldMicros).toBe(0n);
  expect(await warnings()).toEqual([null, expect.stringContaining("Calls to 1 prefixes are refused")]);
  world.clock.advance(60 * 60_000);
  expect(await warnings()).toEqual([null, null]);
});

test.each([
  ["costs less", { costMicros: 100n }],
  ["has no known cost", {}],
] as const)("a call is authorised if another trunk that %s takes its number", async (_what, trunk) => {
  await useTrunks({ costMicros: priceMicros() }, { name: "spare", prefixes: ["44"], ...trunk });
  const { status } = await world.request(await world.customer(), {
    method: "POST",
    path: "/api/calls/initiate",
    body: { destination_number: LONDON },
  });
  expect(status).toBe(201);
});

test("a trunk that refuses our account, or fails call after call, is a warning", async () => {
  await useTrunks({ refused_with: 402 }, { name: "spare", failing: true }, { name: "third" });
  expect(await warnings()).toEqual([expect.stringContaining("2 of the exchange's trunks"), null]);
  await useTrunks({});
  expect(await warnings()).toEqual([null, null]);
});
