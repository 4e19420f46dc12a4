import type { DeckReportResponse, DeckResponse } from "@farline/contract/operator/decks.ts";
import { screen, waitFor, within } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { refused } from "../../../test/fake-service.ts";
import { openConsole, sentence, sessionAs, withConsoleService } from "../../../test/open-console.tsx";
import { startOf } from "./start-field.tsx";

const service = withConsoleService();

const AT = "2026-11-26T08:00:00.000Z";
const DECK: DeckResponse = {
  id: "0199bbbb-0000-7000-8000-0000000000de",
  name: "November",
  source: "november.csv",
  kind: "sale",
  trunk: null,
  prices: 5_769,
  stored_at: AT,
  state: "active",
  activations: [{ effective_at: AT, state: "active", operator: "Grace", reason: "Monthly list" }],
  proposal: null,
  goes_back_to: null,
};
const NEXT: DeckResponse = {
  ...DECK,
  id: "0199bbbb-0000-7000-8000-0000000000df",
  name: "December",
  state: "scheduled",
  activations: [{ effective_at: "2026-12-01T00:00:00.000Z", state: "scheduled", operator: "Grace", reason: "Monthly list" }],
};
const OF_TRUNK: DeckResponse = {
  ...DECK,
  id: "0199bbbb-0000-7000-8000-0000000000dd",
  name: "acme.csv",
  kind: "trunk",
  trunk: "acme",
  state: "proposed",
  activations: [],
  proposal: "0199bbbb-0000-7000-8000-0000000000aa",
};
const BEFORE: DeckResponse = {
  ...DECK,
  id: "0199bbbb-0000-7000-8000-0000000000dc",
  name: "October",
  state: "past",
  activations: [{ effective_at: "2026-10-01T00:00:00.000Z", state: "past", operator: "Grace", reason: "Monthly list" }],
};
const BACK = { id: BEFORE.id, name: "October", effective_at: "2026-10-01T00:00:00.000Z" };
const ACTIVATED = { deck: { id: BEFORE.id, name: "October", kind: "sale" as const, trunk: null }, effective_at: AT, next: null };

const COUNTS = { rows: 3, prefixes: 2, bad: 0, added: 0, raised: 1, lowered: 1, other_increments: 0, unchanged: 0, gone: 0 };
const EXAMPLE = "Cheapest: 90 seconds to +44… UK cost us $0.0300 ($0.0200 a minute), the customer pays $0.0420.";
const REPORT: DeckReportResponse = {
  understood: {
    kind: "sale",
    trunk: null,
    lines: ["Prices that customers pay: the carrier's prices in the file plus our mark-up."],
    examples: [
      {
        chosen: "cheapest",
        prefix: "44",
        description: "UK",
        seconds: 90,
        cost: "0.0300",
        sale: "0.0420",
        text: EXAMPLE,
      },
    ],
  },
  preview: "0123456789abcdef",
  summary: ["3 rows, 2 prefixes, 0 bad."],
  warnings: ["Countries that lose their price: France."],
  counts: COUNTS,
  compared_with: "November",
  columns: [
    { header: "Codes", meaning: "prefix", is_given: false },
    { header: "Fee", meaning: null, is_given: false },
  ],
  doubtful_columns: [],
  bad_rows: [],
  notices: { total: 0, rows: [] },
  money: { lines: ["No calls were answered in the last 30 days, so the change in money is unknown."], total: 0, countries: [] },
  jumps: { line: null, total: 0, changes: [] },
  removed_in_use: [],
  concerns: [],
  refusals: [],
  deck: null,
  same_deck: null,
  activated: null,
  proposal: null,
};
const LIST = new File(["Prefix,Rate\n44,0.02\n"], "december.csv", { type: "text/csv" });

const openDecks = async (...decks: DeckResponse[]): Promise<UserEvent> => {
  service().on("GET /api/operator/decks", { decks, total: decks.length });
  return openConsole("/operator/decks");
};
/** Opens the page of the import, says what the list prices and from when, and chooses a file. */
async function choose(report: DeckReportResponse): Promise<UserEvent> {
  service().on("POST /api/operator/decks/import", report);
  const user = await openConsole("/operator/decks/import");
  await user.selectOptions(screen.getByLabelText("What it prices"), "prices that customers pay");
  await user.selectOptions(screen.getByLabelText("Active from"), "now");
  await user.upload(screen.getByLabelText("Drop a price list here, or choose a file"), LIST);
  await screen.findByText("3 rows, 2 prefixes, 0 bad.");
  return user;
}
const lastImport = () => service().asked("POST /api/operator/decks/import").at(-1)!;

test("the decks are listed with their state, times and reasons", async () => {
  await openDecks(NEXT, DECK, OF_TRUNK);
  const row = within(await screen.findByRole("listitem", { name: "November" }));
  expect(row.getByText("active")).toBeVisible();
  expect(row.getByText("5,769 prices")).toBeVisible();
  expect(row.getByText(sentence("active since 2026-11-26 08:00:00 UTC"))).toBeVisible();
  expect(row.getByText("by Grace: Monthly list")).toBeVisible();
  const trunk = within(screen.getByRole("listitem", { name: "acme.csv" }));
  expect(trunk.getByText("costs of trunk acme")).toBeVisible();
  // No deck was active before.
  expect(row.queryByRole("button")).toBeNull();
  expect(trunk.getByRole("link", { name: "awaiting approval" })).toHaveAttribute("href", "/operator/queue?kind=approval");
});

test("finance reads the decks and changes none", async () => {
  service().on("GET /api/operator/decks", { decks: [NEXT, DECK], total: 80 });
  await openConsole("/operator/decks", sessionAs("finance"));
  expect(await screen.findByText("The newest 2 of 80 decks.")).toBeVisible();
  expect(screen.queryByRole("button", { name: /Put|Cancel|Roll/ })).toBeNull();
  expect(screen.queryByRole("link", { name: "Import a price list" })).toBeNull();
});

test("a deck is rolled back, its start cancelled, or it is activated at a time, each with a reason", async () => {
  const user = await openDecks(NEXT, { ...DECK, goes_back_to: BACK }, BEFORE);
  service().on("POST /api/operator/decks/roll-back", ACTIVATED);
  service().on("POST /api/operator/decks/:id/cancel", { cancelled: [AT] });
  service().on("POST /api/operator/decks/:id/activate", { activated: null, proposal: { id: DECK.id, why: "5 of 5 differ." } });
  const confirm = async (open: string, action: string) => {
    await user.click(await screen.findByRole("button", { name: open }));
    const dialog = within(await screen.findByRole("dialog"));
    await user.type(dialog.getByLabelText("Reason"), "A slip");
    return { dialog, done: () => user.click(dialog.getByRole("button", { name: action })) };
  };
  const rollBack = await confirm("Roll back November", "Roll back");
  expect(
    rollBack.dialog.getByText(sentence(/: October, active from 2026-10-01 00:00:00 UTC, replaces November at once/)),
  ).toBeVisible();
  await rollBack.done();
  expect(await screen.findByText("October is active again.")).toBeVisible();
  expect(service().asked("POST /api/operator/decks/roll-back")[0]?.body).toEqual({
    kind: "sale",
    from: DECK.id,
    to: BEFORE.id,
    reason: "A slip",
  });
  await (await confirm("Cancel the start of December", "Cancel the start")).done();
  expect(await screen.findByText(/The start of December on 2026-11-26 08:00:00 UTC is cancelled/)).toBeVisible();
  const { dialog, done } = await confirm("Activate December", "Activate");
  await done();
  expect(await dialog.findByText("Choose from when it is active.")).toBeVisible();
  await user.selectOptions(dialog.getByLabelText("Active from"), "a time");
  await done();
  expect(await dialog.findByText("Enter the time from which it is active.")).toBeVisible();
  await user.type(dialog.getByLabelText("Time in UTC"), "2026-12-02T08:00");
  await done();
  expect(await screen.findByRole("dialog", { name: "Awaiting approval" })).toBeVisible();
  expect(service().asked("POST /api/operator/decks/:id/activate")[0]).toMatchObject({
    id: NEXT.id,
    body: { at: "2026-12-02T08:00:00.000Z", reason: "A slip" },
  });
});

test.each(["", "202612-02-01T08:00"])("'%s' is no time from which a deck is active", (time) => {
  expect(startOf({ kind: "time", time })).toEqual({ at: null, problem: "Enter the time from which it is active." });
});

test("a file is only read at first, compressed; its columns are corrected in place and it is read again", async () => {
  const user = await choose(REPORT);
  expect(lastImport().query).toMatchObject({ file: "december.csv", kind: "sale", effective: "now" });
  expect(lastImport().query["preview"]).toBeUndefined();
  const sent = lastImport().body as Blob;
  expect(sent.type).toBe("application/gzip");
  const text = new Response(sent.stream().pipeThrough(new DecompressionStream("gzip"))).text();
  expect(await text).toBe("Prefix,Rate\n44,0.02\n");
  expect(screen.getByText("Countries that lose their price: France.")).toBeVisible();
  await user.selectOptions(screen.getByLabelText("Fee"), "Ignore this column");
  expect(screen.queryByRole("button", { name: "Store this deck" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Read the file again" }));
  expect(await screen.findByRole("button", { name: "Store this deck" })).toBeVisible();
  expect(lastImport().query).toMatchObject({ columns: "Fee=ignore" });
});

test("bad rows are named by line, downloaded and left out", async () => {
  const bad = { problem: "price_form", text: "not a price", count: 1_204, rows: [{ line: 3, text: "49 | Germany | soon" }] };
  const words = [{ word: "closed", count: 1_203, text: '1,203 rows whose price is "closed"' }];
  const user = await choose({
    ...REPORT,
    bad_rows: [{ ...bad, words }],
    refusals: [
      { kind: "bad_rows", text: "Some rows cannot be used. Correct them or leave them out." },
      { kind: "incomplete", text: "More than half is missing." },
    ],
  });
  expect(screen.getByRole("heading", { name: "Not a price (1,204)" })).toBeVisible();
  expect(screen.getByText("1203 more of 1204 are not listed.")).toBeVisible();
  service().on("POST /api/operator/decks/bad-rows", new Blob(["Line,Problem,Row"]));
  const saved = vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => {});
  const createUrl = vi.spyOn(URL, "createObjectURL");
  await user.click(screen.getByRole("button", { name: "Download all" }));
  await waitFor(() => expect(saved).toHaveBeenCalledOnce());
  const [content] = createUrl.mock.calls[0] ?? [];
  expect(await (content as Blob).text()).toBe("Line,Problem,Row");
  const { query } = service().asked("POST /api/operator/decks/bad-rows").at(-1) ?? {};
  expect(query).toMatchObject({ kind: "sale", effective: "now" });
  expect(query?.["preview"]).toBeUndefined();
  expect(screen.queryByRole("button", { name: "Store this deck" })).toBeNull();
  await user.click(screen.getByLabelText("Leave out line 3"));
  await user.click(screen.getByLabelText('Leave out 1,203 rows whose price is "closed"'));
  await user.click(screen.getByLabelText("The list is complete"));
  service().on("POST /api/operator/decks/import", REPORT);
  await user.click(screen.getByRole("button", { name: "Read the file again" }));
  await screen.findByRole("button", { name: "Store this deck" });
  expect(lastImport().query).toMatchObject({ skip: "3", skip_words: "price_form=closed", complete: "true" });
});

test("large changes and money are shown, and unusual prices become a proposal when the deck is stored", async () => {
  const price = (cost: string, sale: string) => ({ cost, sale });
  const user = await choose({
    ...REPORT,
    concerns: ["5 prices are less than a tenth of those in November."],
    jumps: {
      line: "1 of 2 compared prices change by more than half.",
      total: 1,
      changes: [{ prefix: "53", description: "Cuba", before: price("0.7600", "1.0700"), after: price("0.0076", "0.0130") }],
    },
  });
  expect(screen.getByText("cost $0.7600 → $0.0076 a minute")).toBeVisible();
  expect(screen.getByText("5 prices are less than a tenth of those in November.")).toBeVisible();
  const store = async () => {
    await user.click(await screen.findByRole("button", { name: "Store this deck" }));
    const dialog = within(await screen.findByRole("dialog"));
    expect(dialog.getByText(EXAMPLE)).toBeVisible();
    await user.type(dialog.getByLabelText("Reason"), "December list");
    await user.click(dialog.getByRole("button", { name: "Store" }));
  };
  const differs = { kind: "preview_differs" as const, text: "The file differs from what you looked at." };
  service().on("POST /api/operator/decks/import", { ...REPORT, refusals: [differs] });
  await store();
  expect(await screen.findByText(differs.text)).toBeVisible();
  service().on("POST /api/operator/decks/import", REPORT);
  await user.click(screen.getByRole("button", { name: "Read the file again" }));
  await screen.findByRole("button", { name: "Store this deck" });
  service().on("POST /api/operator/decks/import", { ...REPORT, deck: DECK.id, proposal: { id: DECK.id, why: "…" } });
  await store();
  expect(await screen.findByText(/Its prices are unusual, so another operator must confirm them/)).toBeVisible();
  expect(lastImport().query).toMatchObject({ preview: REPORT.preview, reason: "December list" });
  expect(screen.queryByRole("button", { name: "Store this deck" })).toBeNull();
});

test("a file that cannot be read says why, and one that is stored already names its deck", async () => {
  const user = await choose({
    ...REPORT,
    same_deck: DECK.id,
    refusals: [{ kind: "known_prices", text: "Deck November has the same prices." }],
  });
  expect(screen.getByRole("link", { name: "Show the stored deck" })).toBeVisible();
  service().on("POST /api/operator/decks/import", refused("validation_failed", "This is a workbook."));
  await user.upload(screen.getByLabelText(/december\.csv/), LIST);
  expect(await screen.findByText("This is a workbook.")).toBeVisible();
});

test("nothing is assumed: a file is read once its kind, its trunk and its start are chosen", async () => {
  service().on("POST /api/operator/decks/import", REPORT);
  const user = await openConsole("/operator/decks/import");
  const kind = screen.getByLabelText("What it prices");
  expect([kind, screen.getByLabelText("Active from")].map((one) => (one as HTMLSelectElement).value)).toEqual(["", ""]);
  await user.upload(screen.getByLabelText("Drop a price list here, or choose a file"), LIST);
  expect(screen.getByText(/^Say what the list prices\./)).toBeVisible();
  await user.selectOptions(kind, "costs of one trunk");
  expect(screen.getByText(/^Write the name of the trunk\./)).toBeVisible();
  await user.type(screen.getByLabelText("Trunk"), "acmee");
  expect(screen.getByText(/^Say from when it is active\./)).toBeVisible();
  expect(service().asked("POST /api/operator/decks/import")).toEqual([]);
  await user.selectOptions(screen.getByLabelText("Active from"), "not yet");
  const refusals = [
    { kind: "unknown_trunk" as const, text: 'No price list of trunk "acmee" was stored before.' },
    { kind: "kind_doubtful" as const, text: "This may be a list of another kind." },
  ];
  service().on("POST /api/operator/decks/import", { ...REPORT, refusals });
  await user.click(screen.getByRole("button", { name: "Read the file" }));
  await user.type(await screen.findByLabelText("The new trunk's name, once more"), "acmee");
  await user.click(screen.getByLabelText("These are costs of trunk acmee"));
  await user.click(screen.getByRole("button", { name: "Read the file again" }));
  await screen.findByText("3 rows, 2 prefixes, 0 bad.");
  expect(lastImport().query).toMatchObject({ kind: "trunk", trunk: "acmee", new_trunk: "acmee", kind_sure: "true" });
  expect(lastImport().query["effective"]).toBeUndefined();
  // Another kind is another order: what was confirmed before does not count for it.
  await user.selectOptions(kind, "prices that customers pay");
  service().on("POST /api/operator/decks/import", REPORT);
  await user.click(screen.getByRole("button", { name: "Read the file again" }));
  await screen.findByRole("button", { name: "Store this deck" });
  expect(lastImport().query).toMatchObject({ kind: "sale", kind_sure: "false" });
  expect(lastImport().query["trunk"]).toBeUndefined();
});
