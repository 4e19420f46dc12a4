import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { sessionEnd } from "@farline/contract/errors.ts";
import { aCall, aContact, anId, aTransaction, aUser, listOf } from "../../test/answers.ts";
import { refused } from "../../test/fake-service.ts";
import { openApp, openFirstPage, withFakeService } from "../../test/open-app.tsx";
import { spoilStorage } from "../../test/spoilt-storage.ts";
import { readSetting } from "../browser/storage.ts";
import { dropSession, endSession, getToken, setCallLive, startSession } from "../session/session.ts";
import { keepSeen, readSeen } from "./last-seen.ts";
import { queryKeys } from "./queries.ts";
import { queryClient } from "./query-client.ts";

const service = withFakeService();
/** The session has begun before: its start removes what was seen. */
const ALREADY = { signedIn: false } as const;
const kept = () => localStorage.getItem("last-seen");

beforeEach(() => {
  // Gives the window a height for some rows: without layout all elements have height zero.
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(800);
});

test("the history shows at once what was last seen, marked with its time, and then what is true", async () => {
  startSession("token-of-grace");
  keepSeen("calls", [aCall({ contact_name: "Kwame Mensah" })]);
  const release = service().hold("GET /api/calls/history", { calls: listOf([aCall({ contact_name: "Ama Owusu" })]) });
  await openApp("/history", ALREADY);
  expect(await screen.findByText("Kwame Mensah")).toBeVisible();
  expect(screen.getByText(/^Last updated /)).toBeVisible();
  release();
  expect(await screen.findByText("Ama Owusu")).toBeVisible();
  expect(screen.queryByText("Kwame Mensah")).toBeNull();
  expect(screen.queryByText(/^Last updated /)).toBeNull();
});

test("calls newer than those last seen wait for a press, so that no row slides away", async () => {
  startSession("token-of-grace");
  const known = aCall({ contact_name: "Kwame Mensah" });
  keepSeen("calls", [known]);
  const newer = aCall({ id: anId(), contact_name: "Ama Owusu" });
  const release = service().hold("GET /api/calls/history", { calls: listOf([newer, known]) });
  await openApp("/history", ALREADY);
  await screen.findByText("Kwame Mensah");
  release();
  await userEvent.click(await screen.findByRole("button", { name: "Show newer" }));
  expect(screen.getByText("Ama Owusu")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Show newer" })).toBeNull();
  // From now on the list is the true one, whatever comes.
  const newest = aCall({ id: anId(), contact_name: "Zola Dube" });
  service().on("GET /api/calls/history", { calls: listOf([newest, newer, known]) });
  await act(() => queryClient.invalidateQueries({ queryKey: queryKeys.calls }));
  expect(await screen.findByText("Zola Dube")).toBeVisible();
});

test("the statement's newer lines wait for a press as well, which goes to them from anywhere on the page", async () => {
  const shown = vi.spyOn(HTMLElement.prototype, "scrollIntoView").mockReturnValue();
  vi.spyOn(HTMLElement.prototype, "getBoundingClientRect").mockReturnValue(new DOMRect(0, -500, 390, 800));
  startSession("token-of-grace");
  const known = aTransaction();
  keepSeen("transactions", listOf([known]));
  const newer = aTransaction();
  const release = service().hold("GET /api/billing/transactions", { transactions: listOf([newer, known]) });
  await openApp("/billing", ALREADY);
  const statement = within(await screen.findByRole("region", { name: "Transaction history" }));
  await statement.findAllByRole("listitem");
  release();
  await userEvent.click(await screen.findByRole("button", { name: "Show newer" }));
  expect(statement.getAllByRole("listitem")).toHaveLength(2);
  expect(shown.mock.contexts).toEqual([screen.getByRole("region", { name: "Transaction history" })]);
});

test.each([
  ["call", { type: "call", id: anId(), status: "completed" }, "calls"],
  ["payment", { type: "payment", id: anId() }, "transactions"],
] as const)("a list that a %s has made untrue is not shown as last seen", async (_, hint, list) => {
  startSession("token-of-grace");
  await openApp("/dialer", ALREADY);
  keepSeen(list, [aCall()]);
  service().hint(hint);
  await waitFor(() => expect(readSeen(list)).toBeNull());
});

test("totals and favourites are there at once too, so that nothing moves when the true ones come", async () => {
  startSession("token-of-grace");
  keepSeen("calls", [aCall()]);
  keepSeen("totals", { calls: 41, answered: 40, seconds: 3600, cost: "1.50" });
  keepSeen("contacts", { contacts: [aContact()], total: 1, next_cursor: null });
  keepSeen("favorites", [aContact({ id: anId(), full_name: "Zola Dube", favorite: true })]);
  for (const route of ["GET /api/calls/history", "GET /api/calls/totals", "GET /api/contacts"] as const)
    service().on(route, () => new Promise<never>(() => undefined));
  await openApp("/history", ALREADY);
  expect(await screen.findByText("41 calls")).toBeVisible();
  cleanup();
  await openApp("/contacts", ALREADY);
  expect(await screen.findByText("Zola Dube")).toBeVisible();
  expect(screen.getByText("Kwame Mensah")).toBeVisible();
  expect(screen.getByText(/^Last updated /)).toBeVisible();
});

test("the calls wait for their totals, which would push them down, and there are none without calls", async () => {
  service().on("GET /api/calls/history", { calls: listOf([aCall({ contact_name: "Ama Owusu" })]) });
  const release = service().hold("GET /api/calls/totals", { totals: { calls: 1, answered: 1, seconds: 60, cost: "0.02" } });
  await openApp("/history");
  await waitFor(() => expect(service().asked("GET /api/calls/history")).toHaveLength(1));
  expect(screen.queryByText("Ama Owusu")).toBeNull();
  release();
  expect(await screen.findByText("Ama Owusu")).toBeVisible();
  expect(screen.getByText("1 call")).toBeVisible();
  cleanup();
  queryClient.clear();
  service().on("GET /api/calls/history", { calls: listOf([]) });
  service().on("GET /api/calls/totals", { totals: { calls: 0, answered: 0, seconds: 0, cost: "0.00" } });
  await openApp("/history");
  expect(await screen.findByText("No Calls Yet")).toBeVisible();
  expect(screen.queryByText("0 calls")).toBeNull();
});

test("what the frame says about an account as it was last seen is there with the page", async () => {
  startSession("token-of-grace");
  keepSeen("user", aUser({ email_verified: false }));
  service().on("GET /api/user", () => new Promise<never>(() => undefined));
  await openFirstPage("/history");
  await openApp("/history", ALREADY);
  expect(screen.getByRole("heading", { name: "Confirm your email" })).toBeVisible();
});

test("without the service the last seen contacts stay, with their mark", async () => {
  startSession("token-of-grace");
  keepSeen("contacts", { contacts: [aContact()], total: 1, next_cursor: null });
  service().on("GET /api/contacts", refused("rate_limited", "Too many attempts."));
  await openApp("/contacts", ALREADY);
  expect((await screen.findAllByText("Kwame Mensah"))[0]).toBeVisible();
  await waitFor(() => expect(screen.getAllByText("Failed to fetch contacts")[0]).toBeVisible());
  expect(screen.getByText(/^Last updated /)).toBeVisible();
});

test("what a page has loaded is kept, at most thirty calls, and nothing that is filtered", async () => {
  service().on("GET /api/calls/history", { calls: listOf(Array.from({ length: 80 }, () => aCall())) });
  await openApp("/history?status=failed");
  await waitFor(() => expect(service().asked("GET /api/calls/history")).not.toEqual([]));
  expect(kept() ?? "").not.toContain('"calls"');
  queryClient.clear();
  await openApp("/history");
  await waitFor(() => expect(kept()).toContain('"calls"'));
  const { lists } = JSON.parse(kept() ?? "") as { lists: { calls: { data: unknown[]; stamp: number } } };
  expect(lists.calls.data).toHaveLength(30);
});

const ENDS: readonly (readonly [string, () => void])[] = [
  ["signs out", () => dropSession()],
  ...sessionEnd.options.map((end): readonly [string, () => void] => [`ends (${end})`, () => endSession(getToken(), end)]),
  ["ends during a call", endInCall],
  ["becomes another", () => void startSession("token-of-ama")],
];

test.each(ENDS)("nothing is left once the session %s", (_, change) => {
  startSession("token-of-grace");
  keepSeen("calls", [aCall()]);
  expect(kept()).not.toBeNull();
  act(change);
  expect(kept()).toBeNull();
});

/** The token stays until the call is over, for its audio. */
function endInCall(): void {
  setCallLive(true);
  endSession(getToken(), "signed_out");
  expect(getToken()).not.toBeNull();
}

test("nothing is kept that another tab could not remove, because the storage is full", () => {
  startSession("token-of-grace");
  keepSeen("calls", [aCall()]);
  const restore = spoilStorage("full");
  keepSeen("contacts", { contacts: [aContact()], total: 1, next_cursor: null });
  const left = [kept(), readSetting("last-seen")];
  restore();
  expect(left).toEqual([null, null]);
});

test("a tab that has not heard yet that another has signed out keeps nothing", () => {
  startSession("token-of-grace");
  localStorage.removeItem("token");
  keepSeen("calls", [aCall()]);
  expect(kept()).toBeNull();
});

test.each([
  ["another session", { session: "thers!" }],
  ["another release", { release: "/assets/index-of-before.js" }],
  [
    "longer ago than a week",
    { lists: { calls: { stamp: Date.now() - 8 * 86_400_000, at: "2026-05-01T00:00:00.000Z", data: [aCall()] } } },
  ],
  ["nobody, because it is not readable", "{"],
])("nothing is shown that was seen by %s", async (_, change) => {
  startSession("token-of-grace");
  keepSeen("calls", [aCall({ contact_name: "Kwame Mensah" })]);
  const before = JSON.parse(kept() ?? "") as object;
  localStorage.setItem("last-seen", typeof change === "string" ? change : JSON.stringify({ ...before, ...change }));
  const release = service().hold("GET /api/calls/history", { calls: listOf([]) });
  await openApp("/history", ALREADY);
  expect(screen.queryByText("Kwame Mensah")).toBeNull();
  expect(screen.queryByText(/^Last updated /)).toBeNull();
  release();
  expect(await screen.findByText("No Calls Yet")).toBeVisible();
});
