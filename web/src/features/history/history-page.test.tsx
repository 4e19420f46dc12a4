import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { aCall, aContact, callDetails, listOf } from "../../../test/answers.ts";
import { refused } from "../../../test/fake-service.ts";
import { downloaded, openApp, withFakeService } from "../../../test/open-app.tsx";

const service = withFakeService();

beforeEach(() => {
  // Gives the window a height for some rows: without layout all elements have height zero.
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(800);
});

const total = (calls: number) => ({ totals: { calls, answered: calls, seconds: 90 * calls, cost: "1.50" } });
const rows = () => screen.findAllByRole("link", { name: /Ghana/ });

describe("the history", () => {
  test("shows an empty state with a link to the dialer", async () => {
    await openApp("/history");
    expect(await screen.findByText("No Calls Yet")).toBeVisible();
    expect(screen.getByRole("link", { name: "Make a Call" })).toHaveAttribute("href", "/dialer");
    expect(screen.queryByRole("button", { name: "Export CSV" })).toBeNull();
  });

  test("can be reloaded after an error", async () => {
    service().on("GET /api/calls/history", refused("rate_limited", "Too many attempts."));
    const person = await openApp("/history");
    expect(await screen.findByText("Failed to fetch call history")).toBeVisible();
    service().on("GET /api/calls/history", { calls: listOf([aCall()]) });
    await person.click(screen.getByRole("button", { name: "Try again" }));
    expect(await rows()).toHaveLength(1);
  });

  test("shows the number, place, duration, result and cost of each call", async () => {
    const failed = aCall({
      status: "failed",
      end_reason: "no_answer",
      cost: "0.00",
      contact_name: "Kwame Mensah",
      answered_at: null,
    });
    service().on("GET /api/calls/history", { calls: listOf([aCall(), failed]) });
    service().on("GET /api/calls/totals", total(1200));
    await openApp("/history");
    const [first, second] = await rows();
    await waitFor(() => expect(first).toHaveTextContent(/\+233 20 000 0142/));
    expect(first).toHaveTextContent(/1 min 30 s/);
    expect(first).toHaveTextContent(/completed/);
    expect(first).toHaveTextContent(/\$0\.2130/);
    expect(second).toHaveTextContent(/Kwame Mensah \+233 20 000 0142/);
    expect(second).toHaveTextContent(/no answer/);
    expect(second).toHaveAttribute("href", `/call/${failed.id}`);
    expect(await screen.findByText("1,200 calls")).toBeVisible();
    expect(screen.getByText("Talk time: 1,800 min")).toBeVisible();
    expect(screen.getByText("Cost: $1.5000")).toBeVisible();
    const [item, named] = within(screen.getByRole("region", { name: "All calls" })).getAllByRole("listitem");
    const links = (row: HTMLElement | undefined) =>
      within(row as HTMLElement)
        .getAllByRole("link")
        .slice(1)
        .map((link) => [link.getAttribute("aria-label"), link.getAttribute("href")]);
    expect(links(item)).toEqual([
      ["Call +233 20 000 0142 again", "/dialer?number=%2B233200000142"],
      ["Save +233 20 000 0142 as a contact", "/contacts?add=%2B233200000142"],
    ]);
    expect(links(named)).toEqual([["Call Kwame Mensah again", "/dialer?number=%2B233200000142&name=Kwame+Mensah"]]);
    expect(item).toHaveAttribute("aria-posinset", "1");
    expect(item).toHaveAttribute("aria-setsize", "2");
  });

  test("says above the list, too, that its calls were free", async () => {
    service().on("GET /api/calls/history", { calls: listOf([aCall({ cost: "0.0015", free_up_to: "0.25" })]) });
    service().on("GET /api/calls/totals", { totals: { ...total(1).totals, cost: "0.00" } });
    await openApp("/history");
    expect(await screen.findByText("Cost: Free")).toBeVisible();
  });

  test("shows a cancelled call as cancelled, and the elapsed time of a running one", async () => {
    const cancelled = aCall({ status: "failed", end_reason: "cancelled", hung_up_by: null, answered_at: null, cost: "0.00" });
    const live = {
      status: "in-progress",
      end_reason: null,
      hung_up_by: null,
      ended_at: null,
      duration_seconds: 0,
      cost: "0.00",
    } as const;
    const talking = aCall({ ...live, answered_at: new Date(Date.now() - 65_000).toISOString() });
    const ringing = aCall({ ...live, status: "ringing", answered_at: null });
    service().on("GET /api/calls/history", { calls: listOf([cancelled, talking, ringing]) });
    service().on("GET /api/calls/totals", total(3));
    await openApp("/history");
    const [first, second, third] = await rows();
    expect(first).toHaveTextContent(/cancelled/);
    expect(first).not.toHaveTextContent(/failed/);
    expect(second).toHaveTextContent(/1 min \d+ s/);
    expect(second).not.toHaveTextContent(/\$0\.0000/);
    expect(third).not.toHaveTextContent(/0 s/);
  });

  test("says that a call was free, as its bill does", async () => {
    service().on("GET /api/calls/history", { calls: listOf([aCall({ cost: "0.013667", free_up_to: "0.25" })]) });
    service().on("GET /api/calls/totals", total(1));
    await openApp("/history");
    const [first] = await rows();
    expect(first).toHaveTextContent("Free");
    expect(first).not.toHaveTextContent("$0.0137");
  });

  test("is filtered by the address, which follows each choice, and shows everything when the filter is cleared", async () => {
    service().on("GET /api/calls/countries", { countries: [{ country_code: "GH", country_name: "Ghana", calls: 2 }] });
    service().on("GET /api/calls/history", ({ query }) => ({ calls: listOf(query["country"] === "GH" ? [] : [aCall()]) }));
    const person = await openApp("/history");
    await rows();
    await person.selectOptions(await screen.findByLabelText("Country", { selector: "select" }), "Ghana");
    await waitFor(() => expect(window.location.search).toBe("?country=GH"));
    await person.selectOptions(screen.getByLabelText("Status"), "failed");
    await waitFor(() => expect(window.location.search).toBe("?country=GH&status=failed"));
    expect(await screen.findByText("No call matches this filter.")).toBeVisible();
    expect(service().asked("GET /api/calls/history").at(-1)?.query).toMatchObject({ country: "GH", status: "failed" });
    expect(service().asked("GET /api/calls/totals").at(-1)?.query).toEqual({ country: "GH", status: "failed" });
    await person.click((await screen.findAllByRole("button", { name: "Clear filter" }))[0] as HTMLElement);
    await waitFor(() => expect(window.location.search).toBe(""));
    expect(await rows()).toHaveLength(1);
  });

  test("is searched when typing pauses", async () => {
    service().on("GET /api/calls/history", ({ query }) => ({ calls: listOf(query["search"] === "kwame" ? [aCall()] : []) }));
    const person = await openApp("/history?status=completed");
    expect(await screen.findByText("No call matches this filter.")).toBeVisible();
    await person.type(screen.getByRole("searchbox", { name: "Search" }), "kwame");
    await rows();
    expect(window.location.search).toBe("?status=completed&search=kwame");
  });

  test("filtered by a contact shows the contact's name, and one press shows all calls", async () => {
    const { id } = aContact();
    service().on("GET /api/calls/history", { calls: listOf([aCall({ contact_name: "Kwame Mensah" })]) });
    const person = await openApp(`/history?contact=${id}`);
    expect(await screen.findByText("Calls with Kwame Mensah")).toBeVisible();
    expect(
      service()
        .asked("GET /api/calls/history")
        .find(({ query }) => "contact" in query)?.query["contact"],
    ).toBe(id);
    await person.click(screen.getByRole("button", { name: "Show all calls" }));
    await waitFor(() => expect(window.location.search).toBe(""));
  });

  test("is downloaded as filtered, with a ticket", async () => {
    service().on("GET /api/calls/history", { calls: listOf([aCall()]) });
    service().on("GET /api/calls/totals", total(1));
    service().on("POST /api/calls/export-ticket", { ticket: "t/1", expires_at: "2026-05-18T09:01:00.000Z" });
    const person = await openApp("/history?country=GH");
    await person.click(await screen.findByRole("button", { name: "Export CSV" }));
    await waitFor(() => expect(downloaded).toHaveBeenCalledWith("/api/calls/export?ticket=t%2F1"));
    expect(service().asked("POST /api/calls/export-ticket")[0]?.body).toEqual({ country: "GH" });
    service().on("POST /api/calls/export-ticket", refused("rate_limited", "Too many downloads."));
    await person.click(screen.getByRole("button", { name: "Export CSV" }));
    expect(await screen.findByText("Too many downloads.")).toBeVisible();
  });

  test("loads more at its end, and shows an error when that fails", async () => {
    const calls = Array.from({ length: 10 }, () => aCall());
    service().on("GET /api/calls/history", ({ query }) =>
      query["cursor"] === undefined
        ? { calls: { ...listOf(calls), next_cursor: "page-2", total: 11 } }
        : refused("rate_limited", "Too many attempts."),
    );
    const person = await openApp("/history");
    expect(await screen.findByText("More calls could not be loaded.")).toBeVisible();
    service().on("GET /api/calls/history", { calls: listOf([aCall({ contact_name: "The last one" })]) });
    await person.click(screen.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(screen.getByText("The last one")).toBeVisible());
    const cursors = service()
      .asked("GET /api/calls/history")
      .map(({ query }) => query["cursor"]);
    expect(cursors.filter((cursor) => cursor === "page-2")).toHaveLength(2);
  });
});

describe("a call's page", () => {
  const call = aCall();
  const entry = {
    id: call.id,
    kind: "call",
    description: "Call to +233 20 000 0142",
    amount: "-0.213000",
    balance_after: "4.787000",
    created_at: "2026-05-18T09:01:31.000Z",
  };

  /** The bill's lines, found by one of them. */
  const linesOf = (label: HTMLElement) =>
    [...(label.closest("dl")?.children ?? [])].map((line) => [line.children[0]?.textContent, line.children[1]?.textContent]);

  async function open(more: Parameters<typeof callDetails>[0] = {}, shown = call, language: "en" | "ar" = "en") {
    service().on("GET /api/calls/:id", { call: shown });
    service().on("GET /api/calls/:id/details", callDetails({ entries: [entry], ...more }));
    return openApp(`/call/${shown.id}`, { language });
  }

  test("links to calling the number again, and to a new contact unless one exists", async () => {
    await open();
    expect(await screen.findByRole("link", { name: "Call again" })).toHaveAttribute("href", "/dialer?number=%2B233200000142");
    expect(screen.getByRole("link", { name: "Save contact" })).toHaveAttribute("href", "/contacts?add=%2B233200000142");
  });

  test("of an old call shows its shortened number, which cannot be called or saved", async () => {
    await open({}, aCall({ destination_number: "+23320*", contact_name: null }));
    expect(await screen.findByRole("heading", { name: /\+23320…/ })).toBeVisible();
    expect(screen.queryByRole("link", { name: "Call again" })).toBeNull();
    expect(screen.queryByRole("link", { name: "Save contact" })).toBeNull();
  });

  test("shows how the charge is calculated and the matching ledger entry", async () => {
    const person = await open({
      quality: {
        samples: [
          { t: 10, mos: 4.4, rttMs: 80, jitterMs: 3, lossPct: 0 },
          { t: 20, mos: 3.4, rttMs: null, jitterMs: 3, lossPct: 1.5 },
        ],
        from_caller: { packets: 4500, mos: null },
        from_called: { packets: 4400, mos: 4.3 },
        rating: null,
      },
    });
    const bill = within(await screen.findByRole("region", { name: "The bill, step by step" }));
    expect(linesOf(bill.getByText("You paid"))).toEqual([
      ["Answered", expect.stringMatching(/:00\.000/)],
      ["Ended", expect.stringMatching(/:30\.000/)],
      ["From answer to end", "90 s"],
      ["Talk time", "90 seconds"],
      ["90 s × $0.1420 ÷ 60 s", "$0.213000"],
      ["You paid", "$0.2130"],
    ]);
    expect(bill.getByText("Exactly $0.213000 was charged. Lists show four decimals.")).toBeVisible();
    expect(await bill.findByText("−$0.2130")).toBeVisible();
    expect(bill.getByText("Balance after: $4.7870")).toBeVisible();
    expect(bill.getByText(/^Price for numbers that begin .*: \$0\.1420\/min, by the second, price list of /)).toBeVisible();
    const sound = within(screen.getByRole("region", { name: "Sound quality" }));
    expect(sound.getByText(/^On average/)).not.toBeVisible();
    await person.click(sound.getByText("Sound quality"));
    expect(sound.getByText(/^On average Fair \(.?3\.9.? of 5\)\. Lowest: .?3\.4.? at .?00:20.?\.$/)).toBeVisible();
    expect(sound.getByText("Voice packets from the other side").closest("dt, th")?.nextSibling).toHaveTextContent("4,400");
    expect(within(screen.getByRole("region", { name: "Timeline" })).getAllByRole("listitem")).toHaveLength(4);
    expect(screen.queryByRole("region", { name: /^Was something wrong/ })).toBeNull();
  });

  test("of less than a second more is rounded up in a line of its own", async () => {
    const times = { answered_at: "2026-05-18T18:50:53.130Z", ended_at: "2026-05-18T18:50:58.940Z" };
    await open(
      { entries: [] },
      aCall({ ...times, duration_seconds: 6, billed_seconds: 30, first_interval_s: 30, next_interval_s: 6, cost: "0.071000" }),
    );
    expect(linesOf(await screen.findByText("You paid")).slice(2)).toEqual([
      ["From answer to end", "5.81 s"],
      ["Talk time, rounded up to the second", "6 seconds"],
      ["Charged time", "30 seconds"],
      ["30 s × $0.1420 ÷ 60 s", "$0.071000"],
      ["You paid", "$0.0710"],
    ]);
  });

  test("says that a free call was free, and which credit paid", async () => {
    await open({ entries: [] }, aCall({ free_up_to: "0.25" }));
    expect(linesOf(await screen.findByText("You paid")).at(-1)).toEqual(["You paid", "Free"]);
    expect(screen.getByText("The free credit for your first call paid $0.213000.")).toBeVisible();
  });

  test("says if the charge is below the formula", async () => {
    await open({}, aCall({ cost: "0.100000" }));
    expect(linesOf(await screen.findByText("You paid")).slice(-2)).toEqual([
      ["Less than calculated", "−$0.1130"],
      ["You paid", "$0.1000"],
    ]);
  });

  test.each([
    [true, "One side could not be heard for the last 45 seconds. You were not charged for that time."],
    [false, /^One side could not be heard for the last 45 seconds\. That time is charged/],
  ])("of a lost call says whether its silence was charged (free: %s)", async (isFree, text) => {
    await open({}, aCall({ end_reason: "connection_lost", silence: { seconds: 45, is_free: isFree } }));
    expect(await screen.findByText(text)).toBeVisible();
  });

  test("says whose credit paid, if it was not the caller's", async () => {
    await open({ entries: [], paid_by: "Ama Mensah" });
    expect(await screen.findByText("Paid from the credit of Ama Mensah.")).toBeVisible();
  });

  test("says that an answered call without sound was not charged", async () => {
    const silence = { seconds: 30, is_free: true };
    const nothing = { duration_seconds: 0, billed_seconds: 0, cost: "0.00", silence };
    await open({ entries: [] }, aCall({ end_reason: "connection_lost", ...nothing }));
    expect(await screen.findByText("Nothing could be heard in this call. Nothing was charged.")).toBeVisible();
  });

  test("of an unanswered call has no charge and no audio quality", async () => {
    await open(
      { entries: [] },
      aCall({ status: "failed", end_reason: "busy", answered_at: null, duration_seconds: 0, billed_seconds: 0, cost: "0.00" }),
    );
    expect(await screen.findByText("The call was not answered. Nothing was charged.")).toBeVisible();
    expect(screen.getByText("The line was busy.")).toBeVisible();
    expect(screen.queryByRole("region", { name: "Sound quality" })).toBeNull();
  });

  test.each([
    ["caller", "You hung up."],
    ["callee", "The other side hung up."],
    [null, "The call ended."],
  ] as const)("hung up by %s says: %s", async (hungUpBy, text) => {
    await open({}, aCall({ hung_up_by: hungUpBy }));
    expect(await screen.findByText(text)).toBeVisible();
  });

  test.each(["not_found", "malformed_request"] as const)("shows not found for the refusal %s", async (code) => {
    service().on("GET /api/calls/:id", refused(code, "No such call."));
    await openApp("/call/00000000-0000-4000-8000-000000000000");
    expect(await screen.findByRole("heading", { name: "Call Not Found" })).toBeVisible();
    expect(screen.getByRole("link", { name: "Back to Call History" })).toHaveAttribute("href", "/history");
  });

  test("can be reloaded after an error", async () => {
    service().on("GET /api/calls/:id", refused("rate_limited", "Too many attempts."));
    const person = await openApp(`/call/${call.id}`);
    expect(await screen.findByText("Failed to fetch call details")).toBeVisible();
    service().on("GET /api/calls/:id", { call });
    service().on("GET /api/calls/:id/details", callDetails());
    await person.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByText("The bill, step by step")).toBeVisible();
  });

  describe("asks for a reason", () => {
    const asked = {
      reason: "bad_sound",
      note: "It crackled.",
      state: "open",
      amount: "0.00",
      answer: null,
      created_at: "2026-05-18T10:00:00.000Z",
      decided_at: null,
    } as const;
    const card = async () => within(await screen.findByRole("region", { name: "Was something wrong with this call?" }));

    test("and sends the request with it, once", async () => {
      const person = await open({ may_ask_refund: true });
      await person.click((await card()).getByRole("button", { name: "Tell us what was wrong" }));
      const refund = await card();
      await person.click(refund.getByRole("button", { name: "Ask for a refund" }));
      expect(await refund.findByRole("alert")).toHaveTextContent("Choose what was wrong.");
      expect(service().asked("POST /api/calls/:id/refund-request")).toEqual([]);
      await person.click(refund.getByLabelText("The sound was bad"));
      await person.type(refund.getByLabelText(/^What else should we know\?/), "It crackled.");
      service().on("POST /api/calls/:id/refund-request", refused("conflict", "You have asked already."));
      await person.click(refund.getByRole("button", { name: "Ask for a refund" }));
      expect(await refund.findByRole("alert")).toHaveTextContent("You have asked already.");

      service().on("POST /api/calls/:id/refund-request", { refund_request: asked });
      service().on("GET /api/calls/:id/details", callDetails({ refund_request: asked }));
      await person.click(refund.getByRole("button", { name: "Ask for a refund" }));
      expect(await refund.findByText(/A person will look at it within 24 hours\.$/)).toBeVisible();
      expect(refund.getByText("It crackled.")).toBeVisible();
      expect(refund.queryByRole("button")).toBeNull();
      expect(service().asked("POST /api/calls/:id/refund-request").at(-1)).toMatchObject({
        id: call.id,
        body: { reason: "bad_sound", note: "It crackled." },
      });
    });

    test.each([
      [
        { state: "refunded", amount: "0.213000", decided_at: "2026-05-19T10:00:00.000Z" },
        /^\$0\.2130 went back to your balance on/,
        "Refunded",
      ],
      [
        { state: "declined", answer: "The line was fine.", decided_at: "2026-05-19T10:00:00.000Z" },
        /did not refund it\.$/,
        "Declined",
      ],
    ] as const)("and tells what became of it (%#)", async (decided, words, badge) => {
      await open({ refund_request: { ...asked, ...decided } });
      const refund = await card();
      expect(refund.getByText(words)).toBeVisible();
      expect(refund.getByText(badge)).toBeVisible();
      if ("answer" in decided) expect(refund.getByText(decided.answer)).toBeVisible();
    });
  });

  test("in Arabic keeps the order of the number's digits", async () => {
    await open({}, call, "ar");
    await waitFor(() => expect(screen.getByRole("heading", { level: 1 })).toHaveTextContent("\u2066+233 20 000 0142\u2069"));
    expect(document.documentElement).toHaveAttribute("dir", "rtl");
  });
});
