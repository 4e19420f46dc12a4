import { MINUTE_MS } from "@farline/domain/durations.ts";
import { UNATTENDED_HEADER } from "@farline/contract/constants.ts";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { consoleApp, consoleCookie, type ConsoleApp } from "../../../test/worlds/console-app.ts";
import { silentLive, testContext } from "../../../test/test-context.ts";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";
import { ManualClock } from "../../../test/manual-clock.ts";
import { operatorCallRoutes } from "./operator-call-routes.ts";

/** A call that began. */
const CALL = { type: "call", id: "0199bbbb-0000-7000-8000-0000000000dd" } as const;

let database: TestDatabase;
let app: ConsoleApp;
let url: string;
let cookie: string;
let publish: (hint: { type: "call"; id: string } | { type: "balance" }) => void;
const clock = new ManualClock(new Date("2026-11-26T08:00:00Z"));

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  const live = {
    ...silentLive,
    subscribeToAll: (listener: typeof publish) => {
      publish = listener;
      return () => undefined;
    },
  } as typeof silentLive;
  const ctx = testContext({ handle: database.handle, clock, live });
  app = consoleApp(ctx, operatorCallRoutes);
  url = await app.app.listen({ port: 0, host: "127.0.0.1" });
  cookie = await consoleCookie(ctx, "eve");
});
afterEach(async () => {
  vi.useRealTimers();
  await app.close();
});

async function listen() {
  const cut = new AbortController();
  const headers = { cookie, accept: "text/event-stream" };
  const response = await fetch(`${url}/api/operator/events`, { headers, signal: cut.signal });
  let text = "";
  const ended = (async () => {
    for await (const chunk of response.body ?? []) text += new TextDecoder().decode(chunk);
  })().catch(() => undefined);
  const hints = () => [...text.matchAll(/^data: (.*)$/gm)].map(([, json = ""]) => (JSON.parse(json) as { type: string }).type);
  return { hints, text: () => text, ended, leave: () => cut.abort() };
}

test("changes of calls are told at most once a second, other hints never", async () => {
  const page = await listen();
  await expect.poll(page.hints).toEqual(["ready"]);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  publish({ type: "balance" });
  for (let call = 0; call < 100; call++) publish(CALL);
  vi.advanceTimersByTime(999);
  expect(page.hints()).toEqual(["ready"]);
  vi.advanceTimersByTime(1);
  await expect.poll(page.hints).toEqual(["ready", "calls"]);
  vi.advanceTimersByTime(5_000);
  publish(CALL);
  vi.advanceTimersByTime(1_000);
  await expect.poll(page.hints).toEqual(["ready", "calls", "calls"]);
  page.leave();
});

test("neither the stream nor what a page reads by itself keeps the session alive", async () => {
  const get = (more: Record<string, string>) => fetch(`${url}/api/operator/calls/live`, { headers: { cookie, ...more } });
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  clock.advance(8 * MINUTE_MS);
  expect((await get({})).status).toBe(200);
  clock.advance(14 * MINUTE_MS);
  const page = await listen();
  await expect.poll(page.hints).toEqual(["ready"]);
  expect((await get({ [UNATTENDED_HEADER]: "1" })).status).toBe(200);
  vi.advanceTimersByTime(20_000);
  await expect.poll(page.text).toContain("\n:\n");
  clock.advance(2 * MINUTE_MS);
  expect((await get({})).status).toBe(401);
  vi.advanceTimersByTime(20_000);
  await page.ended;
});
