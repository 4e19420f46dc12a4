import { promisify } from "node:util";
import { sql } from "kysely";
import type { LiveHint } from "@farline/contract/events.ts";
import pino from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { insertTestSession, testSession } from "../../test/test-session.ts";
import { sessionGuards, type Customer } from "../accounts/accounts.ts";
import { endSession } from "../accounts/session/session.store.ts";
import { AppError } from "../platform/app-error.ts";
import { systemClock } from "../platform/clock.ts";
import type { App } from "../platform/http/http.ts";
import { createTestApp } from "../../test/create-test-app.ts";
import { FaultProxy } from "../../test/fakes/fault-proxy.ts";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";
import { messagesOf } from "./hint.store.ts";
import { createLive, liveRoutes } from "./live.ts";
import { testContext } from "../../test/test-context.ts";
import type { Authenticate, Live } from "../context.ts";

const ADA = "01890000-0000-7000-8000-00000000000a";
const BOB = "01890000-0000-7000-8000-00000000000b";
const BALANCE: LiveHint = { type: "balance" };
const log = pino({ level: "silent" });

let database: TestDatabase;
const opened: Live[] = [];

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());
afterEach(async () => {
  await Promise.all(opened.splice(0).map((live) => live.close()));
});

/** An instance of the service and the hints that it received for Ada. Resolves once it listens to the others. */
async function instance(): Promise<{ live: Live; heard: LiveHint[] }> {
  const before = await listening();
  const live = createLive({ handle: database.handle, databaseUrl: database.url, log });
  opened.push(live);
  const heard: LiveHint[] = [];
  live.subscribe(ADA, (hint) => heard.push(hint));
  await expect.poll(listening).toBe(before + 1);
  return { live, heard };
}

async function listening(): Promise<number> {
  const { rows } =
    await sql<any>`select count(*)::integer as n from pg_stat_activity where application_name = 'farline-live' and query like 'listen%' and state = 'idle' and datname = current_database()`.execute(
      database.handle.db,
    );
  return rows[0].n;
}

describe("hints between instances", () => {
  test("a hint is received once by each instance, at once where it was published, and only for its customer", async () => {
    const [here, there] = [await instance(), await instance()];
    here.live.publish(ADA, BALANCE);
    expect(here.heard).toEqual([BALANCE]);
    here.live.publish(BOB, { type: "account" });
    await expect.poll(() => there.heard).toEqual([BALANCE]);
    here.live.publish(ADA, { type: "contacts" });
    await expect.poll(() => there.heard.length).toBe(2);
    expect(here.heard).toEqual([BALANCE, { type: "contacts" }]);
  });

  test("many hints in a row reach the other instances together, each kind once", async () => {
    const [here, there] = [await instance(), await instance()];
    for (let n = 0; n < 500; n++) here.live.publish(ADA, BALANCE);
    here.live.publish(ADA, { type: "account" });
    await expect.poll(() => there.heard).toContainEqual({ type: "account" });
    expect(there.heard).toEqual([BALANCE, { type: "account" }]);
  });

  test("hints that exceed one notification still arrive", async () => {
    const [here, there] = [await instance(), await instance()];
    const ids = Array.from({ length: 300 }, (_, n) => `01890000-0000-7000-8000-${String(n).padStart(12, "0")}`);
    for (const id of ids) here.live.publish(ADA, { type: "call", id });
    await expect.poll(() => there.heard.length).toBe(300);
    expect(there.heard.map((hint) => ("id" in hint ? hint.id : ""))).toEqual(ids);
    for (const text of messagesOf(
      ADA,
      ids.map((id) => [ADA, { type: "payment", id }] as const),
    ))
      expect(Buffer.byteLength(text)).toBeLessThan(8_000);
  });

  test("a lost database connection is reopened, and pages are told that they may have missed hints", async () => {
    const [here, there] = [await instance(), await instance()];
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'farline-live' and datname = current_database()`.execute(
      database.handle.db,
    );
    await expect.poll(() => there.heard).toEqual([{ type: "ready" }]);
    here.live.publish(ADA, BALANCE);
    await expect.poll(() => there.heard).toContainEqual(BALANCE);
  });

  test("a connection that a network has dropped without a word is noticed and reopened", async () => {
    const proxy = await FaultProxy.start(database.url);
    const { live } = await instance();
    const before = await listening();
    const lines: string[] = [];
    const told = pino({ level: "warn" }, { write: (line: string) => void lines.push(line) });
    const remote = createLive({ handle: database.handle, databaseUrl: proxy.through(database.url), log: told });
    opened.push(remote);
    const heard: LiveHint[] = [];
    remote.subscribe(ADA, (hint) => heard.push(hint));
    await expect.poll(listening).toBe(before + 1);
    await proxy.setFault("blackhole");
    live.publish(ADA, BALANCE);
    // It has given the connection up, and cannot get another one yet.
    await expect.poll(() => lines.join()).toContain("database cannot be reached");
    await proxy.setFault("none");
    await expect.poll(() => heard).toContainEqual({ type: "ready" });
    await proxy.close();
  });

  test("the last hints are still sent when the instance closes", async () => {
    const there = await instance();
    const short = createLive({ handle: database.handle, databaseUrl: database.url, log });
    short.publish(ADA, BALANCE);
    await short.close();
    await expect.poll(() => there.heard).toEqual([BALANCE]);
  });
});

describe("GET /api/events", () => {
  let app: App;
  let live: Live;
  let url: string;
  const sessions = new Map<string, Customer>();
  let outage = false;
  const lines: string[] = [];
  const requestLines: string[] = [];

  beforeEach(async () => {
    sessions.clear();
    outage = false;
    lines.length = 0;
    requestLines.length = 0;
    for (const id of [ADA, BOB]) {
      sessions.set(id, { id } as Customer);
      await sql`insert into customer (id, name, email, email_key, created_at) values (${id}, 'Ada', ${id}, ${id}, now()) on conflict do nothing`.execute(
        database.handle.db,
      );
      await endSession(database.handle.db, { id, customerId: id }, { by: "expired", at: new Date(0) });
      await insertTestSession(database.handle.db, id, systemClock.now());
    }
    live = createLive({ handle: database.handle, databaseUrl: database.url, log });
    opened.push(live);
    const authenticate: Authenticate = async (request) => {
      if (outage) throw new Error("the database does not answer");
      const found = sessions.get(request.headers.authorization?.replace("Bearer ", "") ?? "");
      if (found === undefined) throw new AppError("unauthenticated");
      return testSession(found, systemClock.now());
    };
    const warnings = pino({ level: "warn" }, { write: (line: string) => void lines.push(line) });
    const ctx = testContext({ handle: database.handle, clock: systemClock, live, log: warnings, authenticate });
    const requestLog = pino({ level: "warn" }, { write: (line: string) => void requestLines.push(line) });
    app = createTestApp({ log: requestLog, trustedProxies: 0, guards: sessionGuards(ctx) });
    liveRoutes(app, ctx);
    url = await app.listen({ port: 0, host: "127.0.0.1" });
  });
  afterEach(async () => {
    vi.useRealTimers();
    await app.close();
  });

  async function connect(token = ADA) {
    const cut = new AbortController();
    const response = await fetch(`${url}/api/events`, { headers: { authorization: `Bearer ${token}` }, signal: cut.signal });
    let text = "";
    const ended = (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) text += decoder.decode(chunk);
    })().catch(() => undefined);
    const hints = () => [...text.matchAll(/^data: (.*)$/gm)].map(([, json = ""]) => JSON.parse(json) as LiveHint);
    return { response, hints, text: () => text, ended, leave: () => cut.abort() };
  }

  test("starts with `ready`, then sends the customer's own hints", async () => {
    const page = await connect();
    expect(page.response.headers.get("content-type")).toContain("text/event-stream");
    expect(page.response.headers.get("cache-control")).toBe("no-store");
    await expect.poll(page.hints).toEqual([{ type: "ready" }]);
    live.publish(BOB, BALANCE);
    live.publish(ADA, { type: "call_warning", id: ADA, seconds_left: 60 });
    await expect.poll(page.hints).toEqual([{ type: "ready" }, { type: "call_warning", id: ADA, seconds_left: 60 }]);
    page.leave();
  });

  test("needs a session", async () => {
    expect((await fetch(`${url}/api/events`)).status).toBe(401);
  });

  test("is limited per customer, and a closed page frees its place", async () => {
    const pages = await Promise.all(Array.from({ length: 8 }, () => connect()));
    const refused = await connect();
    expect(refused.response.status).toBe(429);
    expect(refused.response.headers.get("retry-after")).toBe("60");
    expect((await connect(BOB)).response.status).toBe(200);
    pages[0]?.leave();
    await expect.poll(async () => (await connect()).response.status).toBe(200);
  });

  test("sends heartbeats while idle, and ends within a heartbeat of the end of its session", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const page = await connect();
    await expect.poll(page.hints).toHaveLength(1);
    vi.advanceTimersByTime(20_000);
    await expect.poll(page.text).toContain("\n:\n");
    sessions.delete(ADA);
    vi.advanceTimersByTime(20_000);
    await page.ended;
  });

  test("ends within seconds of the end of its session at another instance, and no other stream with it", async () => {
    const [ended, other] = [await connect(), await connect(BOB)];
    await endSession(database.handle.db, { id: ADA, customerId: ADA }, { by: "signed_out_elsewhere", at: systemClock.now() });
    await ended.ended;
    live.publish(BOB, BALANCE);
    await expect.poll(other.hints).toContainEqual(BALANCE);
    other.leave();
  });

  test("stays open in an outage, which does not flood the log", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const page = await connect();
    await expect.poll(page.hints).toHaveLength(1);
    outage = true;
    vi.advanceTimersByTime(100 * 20_000);
    await expect.poll(() => lines.length).toBe(20);
    page.leave();
  });

  test("a page that leaves is not logged as an error", async () => {
    const page = await connect();
    await expect.poll(page.hints).toHaveLength(1);
    page.leave();
    await expect.poll(() => promisify(app.server.getConnections.bind(app.server))()).toBe(0);
    await app.close();
    expect(requestLines).toEqual([]);
  });

  test("does not delay the service's shutdown", async () => {
    const page = await connect();
    await expect.poll(page.hints).toHaveLength(1);
    await app.close();
    await page.ended;
  });
});
