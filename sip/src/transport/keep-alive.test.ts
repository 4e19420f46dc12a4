import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { KeepAlive } from "./keep-alive.ts";

const times = { pingEveryMs: 30_000, pongWithinMs: 10_000 };
const fail = vi.fn<(problem: Error) => void>();
const write = vi.fn<(text: string) => void>();
let keepAlive: KeepAlive;

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetAllMocks();
  keepAlive = new KeepAlive({ write, fail, times });
});
afterEach(() => {
  keepAlive.stop();
  vi.useRealTimers();
});

const PONG = { pings: 0, lineBreak: true };
const pings = (): number => write.mock.calls.filter(([text]) => text === "\r\n\r\n").length;

it("a peer that never answers pings stays connected", () => {
  keepAlive.start();
  vi.advanceTimersByTime(10 * times.pingEveryMs);
  expect(pings()).toBe(10);
  expect(fail).not.toHaveBeenCalled();
});

it("a peer that sends single line breaks on its own account need not answer pings", () => {
  keepAlive.start();
  for (let minute = 0; minute < 5; minute += 1) {
    keepAlive.received(PONG);
    vi.advanceTimersByTime(2 * times.pingEveryMs);
  }
  expect(fail).not.toHaveBeenCalled();
  expect(pings()).toBe(10);
  expect(write).toHaveBeenCalledTimes(10);
});

it("a peer that agreed to outbound must answer each ping within ten seconds", () => {
  keepAlive.start();
  keepAlive.demandPongs();
  vi.advanceTimersByTime(times.pingEveryMs + times.pongWithinMs - 1);
  keepAlive.received(PONG);
  vi.advanceTimersByTime(times.pingEveryMs - times.pongWithinMs);
  expect(fail).not.toHaveBeenCalled();
  vi.advanceTimersByTime(times.pongWithinMs + 1);
  expect(fail).toHaveBeenCalledOnce();
});

it("each ping of the peer is answered by one line break, also where we send none", () => {
  keepAlive.received({ pings: 1, lineBreak: true });
  keepAlive.received({ pings: 2, lineBreak: true });
  expect(write.mock.calls).toEqual([["\r\n"], ["\r\n\r\n"]]);
  vi.advanceTimersByTime(times.pingEveryMs);
  expect(write).toHaveBeenCalledTimes(2);
});
