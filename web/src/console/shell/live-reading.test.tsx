import { act, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { refused, UNREACHABLE } from "../../../test/fake-service.ts";
import { emptyOverview, openConsole, withConsoleService } from "../../../test/open-console.tsx";

const service = withConsoleService();
const START_MS = Date.parse("2026-11-26T03:00:00.000Z");
const OVERVIEW = "GET /api/operator/overview";

beforeEach(() => {
  vi.useFakeTimers({ now: START_MS, shouldAdvanceTime: true });
  service().on(OVERVIEW, () => ({ ...emptyOverview, at: new Date().toISOString() }));
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const reads = () => service().asked(OVERVIEW).length;
const age = () => screen.getByText(/, read .* ago$/);

test("figures are read again every few seconds without any hint, and that does not keep the session alive", async () => {
  await openConsole("/operator/overview");
  await pass(60_000);
  expect(reads()).toBeGreaterThanOrEqual(13);
  expect(reads()).toBeLessThanOrEqual(16);
  expect(age()).toHaveTextContent(/^Live, read [0-5] s ago$/);
  const unattended = service()
    .asked(OVERVIEW)
    .map(({ headers }) => headers.get("x-unattended"));
  expect(new Set(unattended.slice(1))).toEqual(new Set(["1"]));
  expect(unattended[0]).toBeNull();
});

test("a flood of hints causes at most one reading in two seconds", async () => {
  await openConsole("/operator/overview");
  await pass(5_000);
  const before = reads();
  for (let second = 0; second < 20; second++) {
    service().hint({ type: "calls" });
    await pass(1_000);
  }
  expect(reads() - before).toBeGreaterThanOrEqual(9);
  expect(reads() - before).toBeLessThanOrEqual(11);
});

test("a page in the background reads nothing, and reads at once when it is seen again", async () => {
  await openConsole("/operator/overview");
  const visibility = vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
  await pass(5_000);
  const before = reads();
  service().hint({ type: "calls" });
  await pass(60_000);
  expect(reads()).toBe(before);
  expect(age()).toHaveTextContent("Not live, read 1 min ago");
  visibility.mockReturnValue("visible");
  document.dispatchEvent(new Event("visibilitychange"));
  await pass(2_000);
  expect(reads()).toBeGreaterThan(before);
  expect(age()).toHaveTextContent(/^Live, read/);
});

test("old figures say that they are not live, and announce it once", async () => {
  await openConsole("/operator/overview");
  await pass(1_000);
  service().on(OVERVIEW, refused("unavailable"));
  await pass(41_000);
  expect(age()).toHaveTextContent(/^Not live, read 4\d s ago$/);
  expect(screen.getByText("The figures are not live.")).toHaveAttribute("aria-live", "polite");
  expect(screen.getByText("Nothing is wrong.")).toBeVisible();
});

test("a lost connection is named at once, and readings go on when it is back", async () => {
  await openConsole("/operator/overview");
  await pass(1_000);
  service().on(OVERVIEW, UNREACHABLE);
  await pass(6_000);
  expect(age()).toHaveTextContent(/^No connection, read/);
  service().on(OVERVIEW, () => ({ ...emptyOverview, at: new Date().toISOString() }));
  window.dispatchEvent(new Event("online"));
  await pass(3_000);
  expect(age()).toHaveTextContent(/^Live, read/);
});

test("a page that was left reads no more", async () => {
  const person = await openConsole("/operator/overview");
  await person.click(screen.getByRole("link", { name: "Search" }));
  await screen.findByRole("searchbox");
  const before = reads();
  await pass(30_000);
  expect(reads()).toBe(before);
  expect(screen.queryByText(/, read .* ago$/)).toBeNull();
});
