import { MINUTE_MS } from "@farline/domain/durations.ts";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { ManualClock } from "../../test/manual-clock.ts";
import { AppError } from "../platform/app-error.ts";
import { Uses } from "../platform/uses.ts";
import { testConfig, testContext } from "../../test/test-context.ts";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";
import { createReadiness } from "./readiness.ts";

const WELL = { watch: { trouble: () => null }, intake: { closed: false } };

let database: TestDatabase;
let provider: Server;
/** What the provider answers to requests that change something. */
let status = 200;
let nowMs = 0;

beforeAll(async () => {
  database = await testDatabase();
  provider = createServer(({ method }, response) =>
    response.writeHead(method === "POST" ? status : 200, { "content-type": "application/json" }).end('{"data":{}}'),
  );
  provider.listen(0, "127.0.0.1");
  await once(provider, "listening");
});
afterAll(async () => {
  provider.close();
  await database.close();
});
beforeEach(() => (nowMs = Date.parse("2026-11-26T19:08:00.000Z")));
afterEach(() => (status = 200));

function world() {
  const apiBase = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const { stripe, telnyx } = testConfig();
  const uses = new Uses(new ManualClock(new Date()), () => nowMs);
  const ctx = testContext({
    handle: database.handle,
    uses,
    config: { stripe: { ...stripe, apiBase }, telnyx: { ...telnyx, apiBase: `${apiBase}/v2` } },
  });
  const read = createReadiness(ctx, WELL);
  return { ctx, uses, part: async (name: Parameters<Awaited<ReturnType<typeof read>>["get"]>[0]) => (await read()).get(name) };
}

test("payments that the provider fails are said with their count, although it answers questions", async () => {
  const { ctx, part } = world();
  expect((await part("payments"))?.warned).toBeNull();
  status = 500;
  await ctx.stripe.customers.create({}, { maxNetworkRetries: 0 }).catch(() => undefined);
  expect((await part("payments"))?.warned).toBeNull();
  for (const _ of [1, 2]) await ctx.stripe.customers.create({}, { maxNetworkRetries: 0 }).catch(() => undefined);
  nowMs += MINUTE_MS;
  expect(await part("payments")).toMatchObject({
    ...{ worked: 1, failed: 3 },
    warned: {
      text: "3 of the last 4 requests to the payment provider failed.",
      detail: "It answers with status 500.",
      since: new Date(nowMs - MINUTE_MS),
    },
  });
  // A declined card is the customer's trouble.
  status = 402;
  for (const _ of [1, 2, 3, 4]) await ctx.stripe.customers.create({}, { maxNetworkRetries: 0 }).catch(() => undefined);
  expect((await part("payments"))?.warned).toBeNull();
});

test("a voice provider that refuses our key, and one that is gone, do not work", async () => {
  const { ctx, part } = world();
  status = 401;
  for (const _ of [1, 2, 3]) await ctx.telnyx.post("/calls", { maxRetries: 0 }).catch(() => undefined);
  expect((await part("voice"))?.warned?.detail).toBe("It refuses our key (status 401).");
  const gone = testContext({ handle: database.handle, uses: new Uses(new ManualClock(new Date())) });
  const read = createReadiness(gone, WELL);
  expect((await read()).get("voice")?.warned?.detail).toMatch(/^It does not answer/);
});

test("transactions that fail are the database's trouble, refusals are not", async () => {
  const { ctx, part } = world();
  for (const _ of [1, 2, 3, 4])
    await ctx.transaction(() => Promise.reject(new AppError("not_found", { reason: "address_unknown" }))).catch(() => undefined);
  expect((await part("postings"))?.warned).toBeNull();
  for (const _ of [1, 2, 3, 4])
    await ctx.transaction(() => Promise.reject(Object.assign(new Error("held"), { code: "55P03" }))).catch(() => undefined);
  expect((await part("postings"))?.warned).toMatchObject({
    text: "4 of the last 8 transactions failed.",
    detail: "The last error is 55P03.",
  });
});

test("no more uses are kept than count, and none for longer", () => {
  const uses = new Uses(new ManualClock(new Date()), () => nowMs);
  for (let count = 0; count < 30; count += 1) uses.record("mails", null);
  expect(uses.summary("mails").worked).toBe(20);
  nowMs += 16 * MINUTE_MS;
  expect(uses.summary("mails")).toMatchObject({ worked: 0, lastAtMs: null });
});

test("the database's trouble is the watch's, and a key without a right is still taken", async () => {
  const { ctx, part } = world();
  const read = createReadiness(ctx, { ...WELL, watch: { trouble: () => ({ text: "The database takes no writes." }) } });
  expect((await read()).get("database")?.warned).toEqual({ text: "The database takes no writes." });
  status = 403;
  for (const _ of [1, 2, 3]) await ctx.stripe.customers.create({}, { maxNetworkRetries: 0 }).catch(() => undefined);
  expect((await part("payments"))?.warned).toBeNull();
});
