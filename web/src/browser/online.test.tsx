import { beforeEach, expect, test, vi } from "vitest";
import { hearServiceTime } from "../time/clock.ts";
import { isOnline, subscribeToOnline } from "./online.ts";

const DATE = { Date: "Mon, 18 May 2026 19:42:00 GMT" };
const fresh = () => hearServiceTime(new Response(null, { headers: { ...DATE, "Cache-Control": "no-store" } }), 0);

function setOnline(onLine: boolean): void {
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(onLine);
  window.dispatchEvent(new Event(onLine ? "online" : "offline"));
}

beforeEach(() => {
  setOnline(true);
  return () => vi.restoreAllMocks();
});

// tiann/hapi#1050, frappe/frappe#35405
test("a browser that says that it is offline behind a VPN is online once the service answers, until it says so again", () => {
  const listener = vi.fn<() => void>();
  const unsubscribe = subscribeToOnline(listener);
  setOnline(false);
  expect(isOnline()).toBe(false);
  fresh();
  expect(isOnline()).toBe(true);
  expect(listener).toHaveBeenCalledTimes(2);
  setOnline(false);
  expect(isOnline()).toBe(false);
  unsubscribe();
});

test("an answer that a cache has kept, or one from before, proves nothing", () => {
  fresh();
  setOnline(false);
  hearServiceTime(new Response(null, { headers: { ...DATE, "Cache-Control": "public, max-age=300" } }), 0);
  expect(isOnline()).toBe(false);
});
