import type { LiveCall } from "@farline/contract/operator/live-calls.ts";
import { act, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AT, CALL, CUSTOMER, liveAnswer } from "../../../test/console-customer.ts";
import { UNREACHABLE } from "../../../test/fake-service.ts";
import { openConsole, sessionAs, withConsoleService } from "../../../test/open-console.tsx";

const service = withConsoleService();
const LIVE = "GET /api/operator/calls/live";

beforeEach(() => {
  // Gives the table a height for twenty rows: without layout all elements have height zero.
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(660);
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(33);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const LIVE_CALL: LiveCall = {
  id: CALL,
  customer_id: CUSTOMER,
  name: "Ada Kovács",
  email: "ada@example.com",
  status: "ringing",
  since: AT,
  answered_at: null,
  ends_at: null,
  destination: "+442079460000",
  country_code: "GB",
  number_type: "mobile",
  price_class: "A",
  rate_per_minute: "0.0600",
  first_interval_s: 60,
  next_interval_s: 60,
  charge: "0.00",
  credit_left: "12.50",
  margin: null,
  trunk: "main",
  exchange: "a",
  mos: null,
  ending: false,
};

const numbered = (n: number): LiveCall => ({
  ...LIVE_CALL,
  id: `0199c0de-0000-7000-8000-${String(n).padStart(12, "0")}`,
  name: `Caller ${n}`,
});
const later = (ms: number) => new Date(Date.parse(AT) + ms).toISOString();
const names = () => screen.getAllByRole("rowheader").map(({ textContent }) => textContent);

test("the start of a call follows the chosen zone, with UTC under the pointer", async () => {
  const own = vi.spyOn(Intl.DateTimeFormat.prototype, "resolvedOptions");
  own.mockReturnValue({ ...new Intl.DateTimeFormat("en").resolvedOptions(), timeZone: "Asia/Kolkata" });
  service().on(LIVE, liveAnswer([LIVE_CALL]));
  const person = await openConsole("/operator/live");
  expect(await screen.findByText("08:00:00")).toBeVisible();
  await person.click(screen.getByRole("button", { name: "Kolkata" }));
  expect(await screen.findByText("13:30:00")).toHaveAttribute("title", "2026-11-26 08:00:00 UTC");
  await person.click(screen.getByRole("button", { name: "UTC" }));
});

test("a call is hung up from its row, with its name, effect and a reason", async () => {
  service().on(LIVE, liveAnswer([LIVE_CALL]));
  const person = await openConsole("/operator/live", sessionAs("support", "Eve"));
  await person.click(await screen.findByRole("button", { name: "Hang up: Ada Kovács, +442079460000" }));
  const dialog = within(screen.getByRole("dialog", { name: "Hang up Ada Kovács" }));
  expect(await dialog.findByText(/The call of Ada Kovács to \+44 20 7946 0000 ends within seconds/)).toBeVisible();
  service().on("POST /api/operator/calls/hang-up", { ended: 1 });
  service().on(LIVE, liveAnswer([{ ...LIVE_CALL, ending: true }]));
  await person.type(dialog.getByLabelText("Reason"), "Fraud");
  await person.click(dialog.getByRole("button", { name: "Hang up" }));
  expect(await screen.findByText("Hanging up")).toBeVisible();
  expect(service().asked("POST /api/operator/calls/hang-up")[0]?.body).toEqual({ call: CALL, reason: "Fraud" });
  expect(screen.queryByRole("button", { name: /^Hang up/ })).toBeNull();
});

test("its customer is frozen from the row", async () => {
  service().on(LIVE, liveAnswer([LIVE_CALL]));
  const person = await openConsole("/operator/live", sessionAs("support", "Eve"));
  await person.click(await screen.findByRole("button", { name: "Freeze: Ada Kovács, +442079460000" }));
  const dialog = within(screen.getByRole("dialog", { name: "Freeze Ada Kovács" }));
  expect(dialog.getByText(/^ada@example\.com can make no calls.*end within 10 seconds\.$/)).toBeVisible();
  service().on("POST /api/operator/customers/:id/freeze", { changed: true });
  await person.type(dialog.getByLabelText("Reason"), "Fraud");
  await person.click(dialog.getByRole("button", { name: "Freeze" }));
  expect(await screen.findByText("The account is frozen.")).toBeVisible();
  expect(service().asked("POST /api/operator/customers/:id/freeze")[0]).toMatchObject({
    id: CUSTOMER,
    body: { reason: "Fraud" },
  });
});

test("time, charge and time left go on between readings, and what a hint brings replaces them", async () => {
  const answered = { ...LIVE_CALL, status: "in-progress", answered_at: AT, ends_at: later(180_000), charge: "0.06" } as const;
  service().on(LIVE, liveAnswer([answered], { at: later(59_000) }));
  vi.useFakeTimers({ now: Date.parse(later(59_000)), shouldAdvanceTime: true });
  await openConsole("/operator/live");
  const row = () => screen.getAllByRole("row").at(-1)!;
  await expect.poll(() => row().textContent).toContain("00:59$0.062 min");
  await act(() => vi.advanceTimersByTimeAsync(3_000));
  expect(row()).toHaveTextContent("01:02$0.121 min");
  service().on(LIVE, liveAnswer([], { at: later(62_000) }));
  service().hint({ type: "calls" });
  await act(() => vi.advanceTimersByTimeAsync(3_000));
  expect(await screen.findByText("Nobody is calling right now")).toBeVisible();
  const unattended = service()
    .asked(LIVE)
    .map(({ headers }) => headers.get("x-unattended"));
  expect([unattended[0], unattended.at(-1)]).toEqual([null, "1"]);
});

test("the charge of a call that should have ended is that of its hold", async () => {
  const late = { ...LIVE_CALL, status: "in-progress", answered_at: AT, ends_at: later(60_000), charge: "0.06" } as const;
  service().on(LIVE, liveAnswer([late], { at: later(130_000) }));
  vi.useFakeTimers({ now: Date.parse(later(130_000)), shouldAdvanceTime: true });
  await openConsole("/operator/live");
  await expect.poll(() => screen.getAllByRole("row").at(-1)?.textContent).toContain("02:10$0.06<1 min");
});

test("times and charges stand still once nothing was read for ten seconds", async () => {
  const answered = { ...LIVE_CALL, status: "in-progress", answered_at: AT, ends_at: later(600_000), charge: "0.06" } as const;
  service().on(LIVE, liveAnswer([answered], { at: later(30_000) }));
  vi.useFakeTimers({ now: Date.parse(later(30_000)), shouldAdvanceTime: true });
  await openConsole("/operator/live");
  const row = () => screen.getAllByRole("row").at(-1)!;
  await expect.poll(() => row().textContent).toContain("00:30");
  service().on(LIVE, UNREACHABLE);
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect(row()).toHaveTextContent("00:40$0.06");
});

test("sums are of all calls, and a group leads to its calls and back", async () => {
  const one = (key: string, name: string, calls: number) => ({
    groups: [{ key, name, calls, charge: "15.10" }],
    others: { groups: 7, calls: 9, charge: "2.25" },
  });
  const sums = { talking: 1_238, ringing: 4, charge: "28.944", per_minute: "4.12", held: "84123.20", margin: "9.26" };
  service().on(LIVE, liveAnswer([LIVE_CALL], { sums, countries: one("NG", "Nigeria", 8), trunks: one("main", "main", 29) }));
  const person = await openConsole("/operator/live");
  const aside = within(await screen.findByRole("complementary", { name: "Sums" }));
  for (const text of ["1,238", "$28.94", "$4.12", "$84,123", "$9.26"]) expect(screen.getByText(text)).toBeVisible();
  expect(aside.getAllByText("7 others")).toHaveLength(2);
  await person.click(aside.getByRole("link", { name: "Nigeria 8 $15.10" }));
  const query = () => service().asked(LIVE).at(-1)?.query;
  await expect.poll(query).toEqual({ country: "NG", order: "cost", reverse: "false", offset: "0" });
  await person.click(aside.getByRole("link", { name: "main 29 $15.10" }));
  await expect.poll(query).toMatchObject({ country: "NG", trunk: "main" });
  await person.click(screen.getByRole("link", { name: /Nigeria/, current: true }));
  expect(window.location.search).toBe("?trunk=main");
  await person.click(screen.getByRole("link", { name: "Bad sound 0" }));
  await person.click(screen.getByRole("button", { name: "Time" }));
  await person.click(screen.getByRole("button", { name: "Time" }));
  await expect.poll(query).toMatchObject({ trunk: "main", state: "bad_sound", order: "duration", reverse: "true" });
  expect(screen.getByRole("columnheader", { name: "Time" })).toHaveAttribute("aria-sort", "ascending");
});

test("of twenty thousand calls only the rows in view are in the page, and scrolling reads the part in view", async () => {
  const total = 20_000;
  service().on(LIVE, ({ query: { offset = "0" } }) =>
    liveAnswer(
      Array.from({ length: 100 }, (_, n) => numbered(Number(offset) + n)),
      { matching: total },
    ),
  );
  await openConsole("/operator/live");
  expect(await screen.findByRole("heading", { name: "20,000 calls" })).toBeVisible();
  expect(screen.getByRole("table")).toHaveAttribute("aria-rowcount", "20001");
  await expect.poll(() => screen.getAllByRole("row").length).toBeGreaterThan(10);
  expect(screen.getAllByRole("row").length).toBeLessThan(60);
  const area = screen.getByRole("region", { name: "Live calls" });
  area.scrollTop = 33 * 15_000;
  fireEvent.scroll(area);
  expect(await screen.findByText("Caller 15000")).toBeVisible();
  expect(screen.getByText("Caller 15000").closest("tr")).toHaveAttribute("aria-rowindex", "15002");
  expect(screen.queryByText("Caller 1")).toBeNull();
});

test("rows hold still while somebody points at one, with their latest figures", async () => {
  service().on(LIVE, liveAnswer([1, 2, 3].map(numbered)));
  vi.useFakeTimers({ now: Date.parse(AT), shouldAdvanceTime: true });
  const person = await openConsole("/operator/live");
  await expect.poll(names).toEqual(["Caller 1", "Caller 2", "Caller 3"]);
  await person.hover(screen.getByText("Caller 2"));
  service().on(LIVE, liveAnswer([{ ...numbered(3), trunk: "other" }, numbered(2), numbered(4)]));
  service().hint({ type: "calls" });
  await act(() => vi.advanceTimersByTimeAsync(3_000));
  expect(await screen.findByText("other")).toBeVisible();
  expect(names()).toEqual(["Caller 1", "Caller 2", "Caller 3"]);
  await person.unhover(screen.getByText("Caller 2"));
  await person.hover(screen.getByRole("heading", { name: "3 calls" }));
  expect(names()).toEqual(["Caller 3", "Caller 2", "Caller 4"]);
});

test("all calls to a prefix are hung up, and a lost exchange is settled", async () => {
  service().on(LIVE, liveAnswer([LIVE_CALL], { exchanges: ["a"] }));
  service().on("POST /api/operator/calls/hang-up", { ended: 1 });
  service().on("POST /api/operator/exchanges/:exchange/settle-lost", { settled: 1 });
  const person = await openConsole("/operator/live");
  await person.type(await screen.findByLabelText("Numbers that begin with"), "+44{Enter}");
  await person.click(await screen.findByRole("button", { name: "Hang up all of these" }));
  await person.type(screen.getByLabelText("Reason"), "Fraud{Enter}");
  expect(await screen.findByText("1 call is being hung up.")).toBeVisible();
  expect(service().asked(LIVE).at(-1)?.query).toMatchObject({ prefix: "+44" });
  expect(service().asked("POST /api/operator/calls/hang-up")[0]?.body).toEqual({ prefix: "+44", reason: "Fraud" });
  await person.click(screen.getByRole("button", { name: "Settle a lost exchange" }));
  await person.type(screen.getByLabelText("Reason"), "Its machine burnt{Enter}");
  expect(await screen.findByText("1 call is settled.")).toBeVisible();
  expect(service().asked("POST /api/operator/exchanges/:exchange/settle-lost")[0]).toMatchObject({ id: "a" });
});
