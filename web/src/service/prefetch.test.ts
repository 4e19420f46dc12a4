import { PATIENCE_MS } from "@farline/domain/test/patience.ts";
import { QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { dropSession, startSession } from "../session/session.ts";
import { followLiveEvents } from "./live-events.ts";
import { prefetchShell } from "./prefetch.ts";
import { balanceQuery } from "./queries.ts";
import { queryClient } from "./query-client.ts";

const EVENTS = "/api/events";
const BALANCE = "/api/billing/balance";
/** The page waits this long for the events to open. */
const OPEN_LIMIT_MS = 1000;
const POLL = { timeout: PATIENCE_MS, interval: 1 };
/** Steps of the service: it subscribes the page to changes, reads the balance for the page, or the balance changes. */
type Step = "subscribe" | "read" | "change";

/** A service that performs its steps on command. Its answers reach the page at once. */
function openService() {
  const asked: string[] = [];
  const held = new Map<string, () => void>();
  let stream: ReadableStreamDefaultController<Uint8Array> | null = null;
  let balance = "1.00";
  let isFree = false;
  const send = (type: string) => stream?.enqueue(new TextEncoder().encode(`data: {"type":"${type}"}\n\n`));
  vi.stubGlobal("fetch", async (path: string, { signal }: { signal: AbortSignal }) => {
    asked.push(path);
    if (path !== EVENTS && path !== BALANCE) return Response.json({ user: {} });
    if (!isFree) await new Promise<void>((resolve) => held.set(path, resolve));
    if (path === BALANCE) return Response.json({ balance });
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void (stream = controller) });
    send("ready");
    signal.addEventListener("abort", () => stream?.error(signal.reason));
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  const answer = async (path: string) => {
    await vi.waitFor(() => expect(held.has(path)).toBe(true), POLL);
    held.get(path)?.();
    held.delete(path);
  };
  return {
    timesRead: () => asked.filter((path) => path === BALANCE).length,
    async take(step: Step): Promise<void> {
      if (step === "subscribe") return answer(EVENTS);
      if (step === "read") {
        if (stream === null) await vi.advanceTimersByTimeAsync(OPEN_LIMIT_MS);
        return answer(BALANCE);
      }
      balance = "2.00";
      send("balance");
    },
    /** Answers all requests from now on. */
    free(): void {
      isFree = true;
      for (const resolve of held.values()) resolve();
    },
  };
}

/** Opens a page that shows the balance. Returns what it shows. */
function openPage(): () => string | undefined {
  startSession("secret");
  stops.push(followLiveEvents());
  const observer = new QueryObserver(queryClient, balanceQuery);
  void prefetchShell().then(() => stops.push(observer.subscribe(() => undefined)));
  return () => observer.getCurrentResult().data?.balance;
}

const stops: (() => void)[] = [];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  // A single tab needs no lock.
  vi.stubGlobal("navigator", {});
});

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  dropSession();
  queryClient.clear();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** How often the balance is requested, in each order of the service's steps. Without `subscribe` first, the page has waited in vain. */
test.each<[Step[], number]>([
  [["subscribe", "read"], 1],
  [["change", "subscribe", "read"], 1],
  [["subscribe", "change", "read"], 2],
  [["subscribe", "read", "change"], 2],
  [["read", "subscribe"], 2],
  [["change", "read", "subscribe"], 2],
  [["read", "change", "subscribe"], 2],
  [["read", "subscribe", "change"], 2],
])("a page shows the service's balance after %j, requested %i times", async (steps, times) => {
  const service = openService();
  const shown = openPage();
  for (const step of steps) await service.take(step);
  service.free();
  const expected = steps.includes("change") ? "2.00" : "1.00";
  await vi.waitFor(() => expect([shown(), service.timesRead()]).toEqual([expected, times]), POLL);
  await vi.advanceTimersByTimeAsync(1000);
  expect([shown(), service.timesRead()]).toEqual([expected, times]);
});

test.each([
  ["waits for the answers of a fast service", 0, true],
  ["does not wait where the events alone took longer than it would", 300, false],
])("the first render %s", async (_what, openAfterMs, waits) => {
  const service = openService();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] });
  startSession("secret");
  stops.push(followLiveEvents());
  let isReady = false;
  void prefetchShell().then(() => (isReady = true));
  await vi.advanceTimersByTimeAsync(openAfterMs);
  await service.take("subscribe");
  await vi.waitFor(() => expect(service.timesRead()).toBe(1), POLL);
  await vi.advanceTimersByTimeAsync(0);
  expect(isReady).toBe(!waits);
  service.free();
  await vi.waitFor(() => expect(isReady).toBe(true), POLL);
});
