import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { askEarly, takeEarlyAnswer } from "./early-answers.ts";

const asked: string[] = [];

beforeEach(() => {
  asked.length = 0;
  vi.useFakeTimers();
  vi.stubGlobal("fetch", (url: string, { headers }: { headers: Record<string, string> }) => {
    asked.push(`${url} ${headers["Authorization"]}`);
    return url === "/api/user" ? Promise.reject(new TypeError("no network")) : Promise.resolve(new Response(url));
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  globalThis.earlyAnswers = undefined;
});

it("requests the frame's data on every page, and on the dialer also its own", () => {
  askEarly("t", "/history");
  expect(asked).toEqual(["/api/config Bearer t", "/api/user Bearer t", "/api/billing/balance Bearer t"]);
  asked.length = 0;
  askEarly("t", "/dialer");
  expect(asked.slice(3)).toEqual(["/api/rates Bearer t", "/api/calls/history?limit=5 Bearer t"]);
});

it("returns a response once, and null for a request that failed", async () => {
  askEarly("t", "/dialer");
  expect(await (await takeEarlyAnswer("/config", "t"))?.text()).toBe("/api/config");
  expect(takeEarlyAnswer("/config", "t")).toBeUndefined();
  expect(await takeEarlyAnswer("/user", "t")).toBeNull();
});

it("returns nothing to another session, nothing not requested, and nothing old", () => {
  expect(takeEarlyAnswer("/config", "t")).toBeUndefined();
  askEarly("t", "/dialer");
  expect(takeEarlyAnswer("/config", "u")).toBeUndefined();
  expect(takeEarlyAnswer("/config", null)).toBeUndefined();
  expect(takeEarlyAnswer("/promo", "t")).toBeUndefined();
  vi.advanceTimersByTime(10_001);
  expect(takeEarlyAnswer("/config", "t")).toBeUndefined();
});
