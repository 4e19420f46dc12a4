import type { CallQuoteResponse } from "@farline/contract/calls.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestApp } from "../../../test/create-test-app.ts";
import { forWord } from "../../platform/metric.ts";
import { createMonitoring } from "../../pages/metrics.ts";
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
  readonly up?: boolean;
  readonly down?: boolean;
  readonly connected?: boolean | null;
  readonly registration?: string | null;
}

async function useTrunks(...trunks: readonly TrunkOfExchange[]): Promise<void> {
  world.provider.trunks = trunks.map(({ name = "main", prefixes = [], costMicros = null, ...state }) => ({
    ...{ record_type: "trunk", refused_with: null, failing: false, down: false, up: true, name, prefixes, ...state },
    cost: costMicros === null ? null : { rate_per_minute: toDecimalString(costMicros), first_interval: 1, next_interval: 1 },
  }));
  await world.ctx.trunks.read();
}

function priceMicros(): bigint {
  const quote = world.ctx.rates.quote(LONDON, "visitor");
  if (quote === null) throw new Error("London has no rate.");
  return quote.ratePerMinuteMicros;
}

/** The id and words of each trouble of trunks and exchanges. */
async function troubles(): Promise<Record<string, string | null>> {
  const app = createTestApp({ log: world.ctx.log, trustedProxies: 0, guards: {} });
  const { trunks, certificates } = world.ctx;
  const list = await createMonitoring(app, world.clock, [...trunks.metrics, certificates.metric]).troubles();
  return Object.fromEntries(list.map(({ id, text, detail }) => [id, detail === null ? text : `${text} ${detail}`]));
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
  expect(await troubles()).toEqual({
    farline_prefixes_without_trunk: expect.stringContaining("Calls to 1 prefixes are refused") as string,
  });
  world.clock.advance(60 * 60_000);
  expect(await troubles()).toEqual({});
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

test("a trunk that cannot carry calls is a trouble with its reason, and never shown as working", async () => {
  await useTrunks(
    { up: false, refused_with: 402 },
    { name: "spare", up: false, failing: true },
    { name: "tls", up: false, connected: false },
    { name: "by-account", up: false, registration: "refused" },
    { name: "silent", up: false, down: true },
    { name: "well" },
  );
  expect(await troubles()).toEqual({
    "farline_trunk_up main": "Trunk main carries no calls. Its carrier refuses our account (402).",
    "farline_trunk_up spare": "Trunk spare carries no calls. Too many of its calls in a row have failed.",
    "farline_trunk_up tls": "Trunk tls carries no calls. It cannot be connected: look at its address and at both certificates.",
    "farline_trunk_up by-account": "Trunk by-account carries no calls. Its registration is refused.",
    "farline_trunk_up silent": "Trunk silent carries no calls. It does not answer OPTIONS.",
  });
  expect(world.ctx.trunks.states()?.filter(({ up }) => up)).toMatchObject([{ name: "well" }]);
  await useTrunks({});
  expect(await troubles()).toEqual({});
});

test("an exchange that is nearly full, cannot write its journal, lost a media process or does not answer is a trouble", async () => {
  const { provider, clock } = world;
  const well = {
    record_type: "exchange",
    calls: 10,
    max_calls: 200,
    journal: null,
    events_waiting_seconds: 0,
    media: [{ up: true, died_at: null }],
  };
  // The provider is asked again what it can do.
  clock.advance(6 * 60_000);
  const now = clock.now().toISOString();
  provider.extraCommands.push("exchanges");
  provider.exchanges = [
    { ...well, node: "a", events_waiting_seconds: 130 },
    { ...well, node: "b", calls: 185, journal: { code: "ENOSPC", since: "2026-11-26T08:00:00.000Z" } },
    {
      ...well,
      node: "c",
      media: [
        { up: false, died_at: now },
        { up: true, died_at: null },
      ],
    },
    { ...well, node: "d", calls: null, max_calls: null, media: [] },
  ];
  await useTrunks({});
  expect(await troubles()).toEqual({
    "farline_node_events_waiting_seconds a": "The service has not accepted events of the exchange a for 2 minutes.",
    "farline_node_busy_percent b": "The exchange b is nearly full: 185 of 200 calls. At its limit it refuses new calls.",
    "farline_node_journal_written b":
      "The exchange b refuses new calls: it cannot write its journal. The system says ENOSPC. Calls that run go on.",
    "farline_node_media_replaced c":
      "1 of the 2 media processes of the exchange c died or did not answer, and their calls ended. 1 of them do not serve yet.",
    "farline_node_up d": "The exchange d does not answer the others.",
  });
  clock.advance(16 * 60_000);
  provider.exchanges = [{ ...well, media: [{ up: true, died_at: now }], node: "a" }];
  await useTrunks({});
  expect(await troubles()).toEqual({});
});

test("a certificate that ends within 30 days is a ticket, and within three days a reason to wake somebody up", async () => {
  const { provider, clock } = world;
  clock.advance(6 * 60_000);
  provider.extraCommands.push("exchanges");
  const endsIn = (days: number) => new Date(clock.now().getTime() + days * DAY_MS + 60_000).toISOString();
  const certificates = [
    { name: "SIP_TLS_CERT", ends_at: endsIn(30) },
    { name: "trunk main", ends_at: endsIn(29) },
    { name: "carrier of trunk main", ends_at: endsIn(2) },
    { name: "authority of trunk main", ends_at: endsIn(-1) },
  ];
  const well = { record_type: "exchange", calls: 1, max_calls: 9, journal: null, events_waiting_seconds: 0, media: [] };
  provider.exchanges = [{ ...well, node: "a", certificates }];
  await useTrunks({});
  expect(await troubles()).toEqual({
    "farline_certificate_expires_days a: trunk main": "The certificate a: trunk main ends in 29 days.",
    "farline_certificate_expires_days a: carrier of trunk main": "The certificate a: carrier of trunk main ends in 2 days.",
    "farline_certificate_expires_days a: authority of trunk main": "The certificate a: authority of trunk main has ended.",
  });
  const metric = world.ctx.certificates.metric;
  const levelOf = (word: string) => (metric.warning === undefined ? null : forWord(metric.level, word));
  expect(["trunk main", "carrier of trunk main", "authority of trunk main"].map((name) => levelOf(`a: ${name}`))).toEqual([
    "ticket",
    "page",
    "page",
  ]);
});
