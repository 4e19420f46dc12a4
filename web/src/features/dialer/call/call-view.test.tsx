// oxlint-disable max-lines -- one call is set up for all of them
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, test, vi } from "vitest";
import { aBalance, aCall, aCallQuote, aCard, aContact, autoTopUp, callDetails } from "../../../../test/answers.ts";
import { openApp, withFakeService } from "../../../../test/open-app.tsx";
import { phoneEdges } from "../../../../test/phone-in-app.ts";
import { soundWarning } from "../sound/key-sounds.ts";

vi.mock("../../../phone/create-phone.ts", () => import("../../../../test/phone-in-app.ts"));
vi.mock("../sound/key-sounds.ts", async (original) => ({ ...(await original<object>()), soundWarning: vi.fn() }));

const service = withFakeService();

afterEach(() => {
  vi.useRealTimers();
  phoneEdges().phone.signOut();
});

const number = () => screen.findByLabelText("Phone number");
const callNow = () => screen.findByRole("button", { name: "Call Now" });

describe("a call", () => {
  const record = (more: Partial<ReturnType<typeof aCall>> = {}) =>
    aCall({
      id: call.id,
      status: "initiated",
      end_reason: null,
      duration_seconds: 0,
      billed_seconds: 0,
      cost: "0.00",
      max_seconds: 600,
      started_at: null,
      answered_at: null,
      ended_at: null,
      created_at: new Date().toISOString(),
      ...more,
    });
  const call = { id: aCall().id };
  let now = record();

  /** Dials with the clock stopped until the test advances it. */
  async function dialled(first: Parameters<typeof record>[0] = {}) {
    call.id = aCall().id;
    now = record(first);
    service().on("POST /api/calls/quote", aCallQuote());
    service().on("POST /api/calls/initiate", {
      call: now,
      ticket: "t".repeat(43),
      caller_number: "+15550001111",
      ticket_expires_at: now.created_at,
    });
    service().on("GET /api/calls/:id", () => ({ call: now }));
    service().on("POST /api/calls/:id/stay", () => ({ call: now }));
    service().on("PATCH /api/calls/:id/control-id", () => ({ call: now }));
    service().on("POST /api/calls/:id/quality", { kept: 1 });
    service().on("POST /api/calls/:id/hangup", () => {
      now = record({
        status: "completed",
        end_reason: "hangup",
        answered_at: now.answered_at,
        duration_seconds: 5,
        cost: "0.012000",
      });
      return { call: now };
    });
    const person = await openApp("/dialer?number=%2B233200000142&name=Kwame+Mensah");
    await screen.findByText("Charged by the second");
    await person.click(await callNow());
    await screen.findByRole("heading", { name: "Call with Kwame Mensah" });
    await waitFor(() => expect(phoneEdges().client().calls).not.toEqual([]));
    await waitFor(() => expect(phoneEdges().call().state).toBe("requesting"));
    return person;
  }

  async function connected(first: Parameters<typeof record>[0] = {}) {
    const person = await dialled(first);
    now = { ...now, status: "in-progress", answered_at: new Date().toISOString() };
    act(() => phoneEdges().call().change("early"));
    expect(await screen.findByText("Ringing...")).toBeVisible();
    act(() => phoneEdges().call().change("active"));
    expect(await screen.findByText("Connected")).toBeVisible();
    return person;
  }

  /** The provider, then the service, report the end of the call. */
  function over(more: Parameters<typeof record>[0]) {
    now = record({ status: "failed", ...more });
    act(() => phoneEdges().call().change("hangup"));
  }

  test("shows the callee, duration, cost and remaining credit", async () => {
    await connected();
    const view = within(screen.getByRole("region", { name: "Call in progress" }));
    expect(await view.findByText(/\+233 20 000 0142/)).toBeVisible();
    expect(view.getAllByText("Ghana")[0]).toBeVisible();
    expect(view.getByRole("timer", { name: "Call time" })).toHaveTextContent(/^\d\d:\d\d$/);
    expect(await view.findByText("Estimated cost")).toBeVisible();
    expect(view.getByText(/^(9|10) min left$/)).toBeVisible();
    expect(view.getByRole("img", { name: "The line is open" })).toBeInTheDocument();
    await waitFor(() => expect(document.title).toMatch(/^\d\d:\d\d · Connected/));
    expect(view.getByText("If you close this page, the call ends about 10 seconds later.")).toBeVisible();
  });

  test("begins with the focus on its heading, so that Enter ends nothing, and Tab leads to Hang Up", async () => {
    const person = await connected();
    expect(screen.getByRole("heading", { name: "Call with Kwame Mensah" })).toHaveFocus();
    await person.keyboard("{Enter>3/}");
    expect(screen.getByText("Connected")).toBeVisible();
    await person.tab();
    expect(screen.getByRole("button", { name: "Hang Up" })).toHaveFocus();
  });

  test("can be muted, held and resumed, and sends digits pressed, typed and pasted", async () => {
    const person = await connected();
    const line = phoneEdges().call();
    await person.click(screen.getByRole("button", { name: "Mute" }));
    expect(screen.getByRole("button", { name: "Mute" })).toHaveAttribute("aria-pressed", "true");
    expect(await screen.findAllByText("Muted")).not.toEqual([]);
    await person.click(screen.getByRole("button", { name: "Mute" }));
    expect(screen.getByRole("button", { name: "Mute" })).toHaveAttribute("aria-pressed", "false");

    await person.click(screen.getByRole("button", { name: "Hold" }));
    expect(await screen.findByText("On hold")).toBeVisible();
    expect(line.state).toBe("held");
    const hold = screen.getByRole("button", { name: "Hold" });
    expect(hold).toHaveAttribute("aria-pressed", "true");
    await person.click(hold);
    expect(await screen.findByText("Connected")).toBeVisible();

    const keypad = screen.getByRole("button", { name: "Keypad" });
    await person.click(keypad);
    expect(keypad).toHaveAttribute("aria-expanded", "true");
    await person.click(screen.getByRole("button", { name: "Hash" }));
    await person.keyboard("15");
    const data = { getData: () => "PIN: 47-11 *" };
    fireEvent.paste(document.body, { clipboardData: data });
    await waitFor(() => expect(line.digits).toBe("#154711*"));
    expect(screen.getByText("#154711*")).toBeVisible();
  });

  test("sends digits of every script, typed or pasted, and one digit for a key that is held", async () => {
    const person = await connected();
    const line = phoneEdges().call();
    await person.click(screen.getByRole("button", { name: "Keypad" }));
    for (const key of ["١", "۲", "३", "４", "＃"]) fireEvent.keyDown(document.body, { key });
    for (let repeated = 0; repeated < 30; repeated += 1) fireEvent.keyDown(document.body, { key: "5", repeat: repeated > 0 });
    fireEvent.paste(document.body, { clipboardData: { getData: () => "رمز ٦۷८９＊" } });
    await waitFor(() => expect(line.digits).toBe("1234#56789*"));
  });

  // mirukana/mirage#23, ccampbell/mousetrap#271: ⌥3 on a British Mac; AltGr, on Windows Ctrl and Alt, in Spain, France and Italy.
  test("sends the # that a keyboard types with Option or AltGr, and nothing for a command", async () => {
    const person = await connected();
    await person.click(screen.getByRole("button", { name: "Keypad" }));
    for (const held of [{ altKey: true }, { altKey: true, ctrlKey: true }])
      fireEvent.keyDown(document.body, { key: "#", ...held });
    for (const held of [{ altKey: true }, { ctrlKey: true }, { metaKey: true }])
      fireEvent.keyDown(document.body, { key: "1", ...held });
    fireEvent.keyDown(document.body, { key: "*", ctrlKey: true });
    await person.keyboard("2");
    await waitFor(() => expect(phoneEdges().call().digits).toBe("##2"));
  });

  test("refuses a pasted code that is too long as a whole, and a paste without digits, and says so", async () => {
    const person = await connected();
    await person.click(screen.getByRole("button", { name: "Keypad" }));
    fireEvent.paste(document.body, { clipboardData: { getData: () => "1".repeat(65) } });
    expect(await screen.findByText("Not sent: too many digits at once.")).toBeVisible();
    fireEvent.paste(document.body, { clipboardData: { getData: () => "no code" } });
    expect(await screen.findByText("There are no digits to send.")).toBeVisible();
    expect(phoneEdges().call().digits).toBe("");
  });

  test("shows that it is reconnecting after losing its line, and cannot be held meanwhile", async () => {
    await connected();
    act(() => phoneEdges().client().lose());
    expect(await screen.findByText("Reconnecting...")).toBeVisible();
    expect(screen.getByRole("button", { name: "Hold" })).toBeDisabled();
    expect(screen.queryByText("Connected")).toBeNull();
    expect(screen.getByRole("img", { name: "The line is reconnecting" })).toBeInTheDocument();
  });

  test("warns before its credit ends, and is extended by a top-up in another tab", async () => {
    const tab = { location: { replace: vi.fn() }, sessionStorage: { clear: vi.fn() }, opener: window };
    vi.spyOn(window, "open").mockReturnValue(tab as unknown as Window);
    service().on("POST /api/billing/purchase-package", {
      payment_id: aCall().id,
      session_id: "s",
      checkout_url: "https://pay.example/s",
    });
    const person = await connected({ max_seconds: 60 });
    expect(await screen.findByText("Less than a minute of credit is left. The call will end when it runs out.")).toBeVisible();
    expect(screen.getByText(/^\d\d s left$/)).toBeVisible();
    await person.click(screen.getByRole("button", { name: "Top Up" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Top up during the call" }));
    await person.click(await dialog.findByRole("button", { name: /^Pay \$5/ }));
    expect(await dialog.findByText("The payment page is open in another tab.")).toBeVisible();
    expect(tab.location.replace).toHaveBeenCalledWith("https://pay.example/s");
    // The tab has no access to this page or its stored call.
    expect(tab.opener).toBeNull();
    expect(tab.sessionStorage.clear).toHaveBeenCalledOnce();
    expect(dialog.getByRole("link", { name: "Open the payment page" })).toHaveAttribute("href", "https://pay.example/s");

    now = { ...now, max_seconds: 960 };
    service().on("POST /api/calls/:id/extend", { call: now, outcome: "extended" });
    service().on("GET /api/billing/balance", aBalance({ balance: "10.00" }));
    service().hint({ type: "balance" });
    await waitFor(() => expect(service().ids("POST /api/calls/:id/extend")).toContain(call.id));
    expect(await dialog.findByText("Your call can continue for 15 min more.")).toBeVisible();
    // The toast that says the same goes at once.
    await waitFor(() => expect(screen.getAllByText("Your call can continue for 15 min more.")).toHaveLength(1));
    await person.click(dialog.getByRole("button", { name: "Back to the call" }));
    expect(await screen.findByText(/^1\d min left$/)).toBeVisible();
  });

  test("pays with a saved card in one press, in minutes of this call, and says why it was not paid", async () => {
    service().on("GET /api/billing/auto-top-up", autoTopUp({ cards: [aCard()] }));
    service().on("GET /api/billing/balance", aBalance({ balance: "1.00" }));
    service().on("POST /api/billing/purchase-package", {
      payment_id: aCall().id,
      session_id: null,
      checkout_url: "/billing/success?payment_id=1",
    });
    service().on("POST /api/billing/confirm", {
      status: "failed",
      amount: "5.00",
      balance: "1.00",
      currency: "USD",
      problem: "insufficient_funds",
      presented: null,
      receipt_id: null,
      suggests_auto_top_up: false,
      gift: null,
    });
    const person = await connected({ max_seconds: 60, rate_per_minute: "0.0184", free_up_to: undefined });
    await person.click(await screen.findByRole("button", { name: "Top Up" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Top up during the call" }));
    const [, minutes, seconds] = /^(\d\d):(\d\d)$/.exec(dialog.getByRole("timer").textContent) ?? [];
    expect(screen.getByText(`${Number(minutes) * 60 + Number(seconds)} s left`)).toBeInTheDocument();
    expect(dialog.getByText(/^\$0\.01\d\d left$/)).toBeVisible();
    expect(dialog.queryByText(/\$1\.00/)).toBeNull();
    await person.click(await dialog.findByRole("button", { name: /^Pay \$5 ?\+ 271 min$/ }));
    expect(await dialog.findByText("There wasn’t enough money on the card. No credit was added to your balance.")).toBeVisible();
    const [asked] = service().asked("POST /api/billing/purchase-package");
    expect(asked?.body).toMatchObject({ card_id: expect.any(String) as string });
    expect(asked?.headers.get("Idempotency-Key")).toMatch(/^[0-9a-f-]{36}$/);
    await person.selectOptions(dialog.getByLabelText("Add credit"), "Another way to pay");
    expect(dialog.getByText("You pay in a new tab. Your call continues here.")).toBeVisible();
  });

  test("does not sell twice when the top-up sheet is closed and opened again before the card is charged", async () => {
    service().on("GET /api/billing/auto-top-up", autoTopUp({ cards: [aCard()] }));
    service().on("POST /api/billing/confirm", {
      ...{ status: "open", amount: "5.00", balance: "0.00", currency: "USD", problem: null, presented: null },
      ...{ receipt_id: null, suggests_auto_top_up: false, gift: null },
    });
    const release = service().hold("POST /api/billing/purchase-package", {
      payment_id: aCall().id,
      session_id: null,
      checkout_url: "/billing/success?payment_id=1",
    });
    const person = await connected({ max_seconds: 60 });
    const reopen = async () => {
      await person.click(await screen.findByRole("button", { name: "Top Up" }));
      return within(await screen.findByRole("dialog", { name: "Top up during the call" }));
    };
    const dialog = await reopen();
    await person.click(await dialog.findByRole("button", { name: /^Pay \$5/ }));
    await person.click(dialog.getByRole("button", { name: "Back to the call" }));
    await person.click(await (await reopen()).findByRole("button", { name: /^Pay \$20/ }));
    expect(service().asked("POST /api/billing/purchase-package")).toHaveLength(1);
    release();
    expect(await screen.findByText("Your card is being charged.")).toBeVisible();
    await person.click(dialog.getByRole("button", { name: "Back to the call" }));
    expect((await reopen()).getByText("Your card is being charged.")).toBeVisible();
    expect(screen.queryByRole("button", { name: /^Pay \$/ })).toBeNull();
  });

  test("can be hung up from the top-up sheet", async () => {
    const person = await connected({ max_seconds: 60 });
    await person.click(await screen.findByRole("button", { name: "Top Up" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Top up during the call" }));
    await person.click(dialog.getByRole("button", { name: "Hang Up" }));
    expect(await screen.findByText("Call Ended")).toBeVisible();
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  test("limited by the maximum call length says so", async () => {
    await connected({ max_seconds: 3600, bounded_by: "longest_call" });
    expect(await screen.findByText(/^(59|60) min left$/)).toBeVisible();
    expect(screen.getByText("Calls up to 60 min")).toBeVisible();
  });

  test("offers no top-up if a limit other than credit ends it", async () => {
    await connected({ max_seconds: 60, bounded_by: "call_cap" });
    expect(await screen.findByText("Less than a minute left. This call then reaches its limit and ends.")).toBeVisible();
    expect(screen.queryByRole("button", { name: "Top Up" })).toBeNull();
  });

  test("ends at once when hung up before the answer, and is reported to the service", async () => {
    const person = await dialled();
    await person.click(screen.getByRole("button", { name: "Hang Up" }));
    expect(await screen.findByText("Call Ended")).toBeVisible();
    expect(screen.getByText("You hung up before anyone answered.")).toBeVisible();
    expect(screen.queryByText(/^If you close this page/)).toBeNull();
    expect(screen.getByRole("button", { name: "Hang Up" })).toBeDisabled();
    await waitFor(() => expect(service().ids("POST /api/calls/:id/hangup")).toEqual([call.id]));
  });

  test.each([
    ["busy", "The line was busy."],
    ["rejected", "The call was declined."],
    ["invalid_number", "This number cannot be reached."],
    ["network_failure", "The phone network did not connect the call."],
  ] as const)("that ends as %s says so in plain words and that nothing was charged", async (end_reason, words) => {
    await dialled();
    over({ end_reason });
    expect(await screen.findByText("Call Ended")).toBeVisible();
    const message = await screen.findByText("Call ended");
    expect(message.closest("[data-kind]")).toHaveAttribute("data-kind", "info");
    expect(await screen.findByText("Nothing was charged.")).toBeVisible();
    await waitFor(() => expect(screen.getByRole("heading", { name: words.slice(0, -1) })).toHaveFocus());
    expect(await screen.findByRole("link", { name: "Call details" })).toHaveAttribute("href", `/call/${call.id}`);
    await waitFor(() => expect(screen.queryByLabelText("Phone number")).toBeNull());
  });

  test("whose sound is blocked ends with the reason and what to do", async () => {
    await dialled();
    act(() => phoneEdges().call().change("hangup", { cause: "MEDIA_TIMEOUT", sipCode: 408 }));
    const words =
      /^Your network blocks the sound of calls, so we did not ring the phone\. Nothing was charged\. Try another network/;
    // A toast says the same for a moment.
    expect((await screen.findAllByText(words))[0]).toBeVisible();
    expect(await number()).toHaveFocus();
  });

  test("closes its toasts with the caller's next press, and ends with a success toast", async () => {
    const person = await connected();
    await person.click(screen.getByRole("button", { name: "Mute" }));
    const muted = (await screen.findByText("Muted")).closest("[data-kind]");
    await person.click(screen.getByRole("button", { name: "Keypad" }));
    expect(muted).toHaveAttribute("data-leaving");
    await person.click(screen.getByRole("button", { name: "Hang Up" }));
    expect((await screen.findByText("Call ended")).closest("[data-kind]")).toHaveAttribute("data-kind", "success");
  });

  test("stays visible with a link to top up after its credit is used up", async () => {
    await connected();
    over({
      status: "completed",
      end_reason: "credit_used_up",
      answered_at: now.answered_at,
      duration_seconds: 64,
      cost: "0.151467",
    });
    const notice = await screen.findByText(/^1 min 4 s, \$0\.15\d\d\.$/);
    const card = within(notice.closest("section") as HTMLElement);
    expect(card.getByRole("heading", { name: "Your credit was used up" })).toBeVisible();
    expect(card.getByText(/^\$5 buys 35 min to this number\./)).toBeVisible();
    expect(card.getByRole("link", { name: "Top up $5" })).toHaveAttribute("href", "/topup");
    await waitFor(() => expect(service().asked("GET /api/billing/balance").length).toBeGreaterThan(1));
  });

  test("is followed by Call Again, and a link to save the number unless a contact has it", async () => {
    const person = await connected();
    over({ status: "completed", end_reason: "hangup", answered_at: now.answered_at, duration_seconds: 4, cost: "0.01" });
    expect(await screen.findByRole("link", { name: "Save contact" })).toHaveAttribute("href", "/contacts?add=%2B233200000142");
    expect(screen.getByRole("link", { name: "Call details" })).toHaveAttribute("href", `/call/${now.id}`);
    expect(screen.queryByRole("button", { name: /^Try at/ })).toBeNull();
    await person.click(screen.getByRole("button", { name: "Call again" }));
    expect(await screen.findByRole("heading", { name: "Call with Kwame Mensah" })).toBeVisible();
    await waitFor(() => expect(service().asked("POST /api/calls/initiate")).toHaveLength(2));
  });

  test("asks how an answered one sounded; a bad one that was paid for leads to its refund request", async () => {
    const person = await connected();
    service().on("POST /api/calls/:id/rating", { sound: "good" });
    service().on("GET /api/calls/:id/details", callDetails({ may_ask_refund: true }));
    await person.click(await screen.findByRole("button", { name: "Hang Up" }));
    const rating = within(await screen.findByRole("group", { name: "How was the sound?" }));
    await person.dblClick(rating.getByRole("button", { name: "Good" }));
    expect(await screen.findByRole("group", { name: "Thank you." })).toBeVisible();
    await person.click(rating.getByRole("button", { name: "Bad" }));
    expect(await screen.findByRole("group", { name: "What was wrong?" })).toBeVisible();
    expect(window.location.pathname).toBe(`/call/${call.id}`);
    expect(service().asked("POST /api/calls/:id/rating")).toMatchObject([
      { body: { sound: "good" } },
      { body: { sound: "bad" } },
    ]);
  });

  test("that sounded bad leads nowhere once the caller has gone on", async () => {
    const person = await connected();
    const release = service().hold("POST /api/calls/:id/rating", { sound: "bad" });
    await person.click(await screen.findByRole("button", { name: "Hang Up" }));
    await person.click(await screen.findByRole("button", { name: "Bad" }));
    await person.click(screen.getByRole("button", { name: "Close this message" }));
    release();
    await person.type(await number(), "+4930");
    expect(window.location.pathname).toBe("/dialer");
  });

  test("on hold says that it still costs", async () => {
    await connected();
    act(() => phoneEdges().call().change("held"));
    expect(await screen.findByText("The call still costs")).toBeVisible();
  });

  test("that nobody answered says so, asks for no rating, and says when it is evening there", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-06-01T03:12:00Z") });
    const person = await dialled();
    over({ status: "failed", end_reason: "no_answer", answered_at: null, duration_seconds: 0, cost: "0.00" });
    expect(await screen.findByRole("heading", { name: "Nobody answered" })).toBeVisible();
    expect(screen.getByText("Nothing was charged.")).toBeVisible();
    expect(screen.queryByRole("button", { name: "Good" })).toBeNull();
    service().on("GET /api/contacts", { contacts: [aContact()], next_cursor: null, total: 1 });
    service().on("POST /api/reminders", {
      reminder: {
        ...{ id: call.id, contact_id: aContact().id, contact_name: "Kwame Mensah", country_code: "GH", weekly: false },
        ...{ time_zone: "Africa/Accra", at: "2026-06-01T18:00:00.000Z", local_time: "18:00" },
      },
    });
    await person.click(screen.getByRole("button", { name: /^Try at 6:00\sPM their time$/ }));
    expect(await screen.findByText(/^We’ll email you at \d+:00\s[AP]M your time\.$/)).toBeVisible();
    expect(service().asked("POST /api/reminders")[0]?.body).toMatchObject({ date: "2026-06-01", time: "18:00" });
  });

  test("gives the pad back with Escape, with its close button, and with the first digit of another number", async () => {
    const person = await dialled();
    over({ end_reason: "busy" });
    expect(await screen.findByRole("heading", { name: "The line was busy" })).toBeVisible();
    await person.keyboard("7");
    await waitFor(async () => expect(await number()).toHaveValue("7"));
    expect(screen.queryByRole("heading", { name: "The line was busy" })).toBeNull();
  });

  test("that the first-call credit paid for says that it was free, before, during and after it", async () => {
    await connected({ free_up_to: "0.25" });
    expect(screen.getByText("Free call")).toBeVisible();
    over({
      ...{ status: "completed", end_reason: "hangup", answered_at: now.answered_at, duration_seconds: 44, cost: "0.0073" },
      free_up_to: "0.25",
    });
    expect(await screen.findByRole("heading", { name: "This call was free" })).toBeVisible();
    expect(screen.queryByText(/\$0\.0073/)).toBeNull();
  });

  test.each([
    [60, 60],
    [14, 15],
  ])("with %i seconds of credit is warned of with the sound for %i, once", async (seconds, sound) => {
    vi.mocked(soundWarning).mockClear();
    await connected({ max_seconds: seconds });
    await waitFor(() => expect(soundWarning).toHaveBeenCalledWith(sound, null));
    await waitFor(() => expect(screen.getByRole("timer")).toHaveTextContent("00:02"));
    expect(soundWarning).toHaveBeenCalledTimes(1);
  });

  test("keeps the screen on and handles headset buttons while it lasts", async () => {
    const lock = { type: "screen", released: false, release: vi.fn(async () => undefined) };
    const keys = new Map<string, (() => void) | null>();
    const session = {
      playbackState: "none",
      metadata: null as { title: string } | null,
      setActionHandler: (action: string, handler: (() => void) | null) => void keys.set(action, handler),
      setMicrophoneActive: vi.fn(async () => undefined),
    };
    vi.stubGlobal(
      "MediaMetadata",
      class Metadata {
        readonly title: string;
        constructor({ title }: { title: string }) {
          this.title = title;
        }
      },
    );
    Object.assign(navigator, { wakeLock: { request: vi.fn(async () => lock) } });
    Object.defineProperty(navigator, "mediaSession", { value: session, configurable: true });
    await connected();
    expect(navigator.wakeLock.request).toHaveBeenCalledExactlyOnceWith("screen");
    act(() => void document.dispatchEvent(new Event("visibilitychange")));
    expect(navigator.wakeLock.request).toHaveBeenCalledOnce();
    // Browsers release the lock of a page that is hidden (Screen Wake Lock API, handling document loss of visibility).
    lock.released = true;
    // iOS refuses it without a press (vueuse/vueuse#3484).
    vi.mocked(navigator.wakeLock.request).mockRejectedValueOnce(new DOMException("Permission was denied", "NotAllowedError"));
    await act(async () => void document.dispatchEvent(new Event("visibilitychange")));
    expect(navigator.wakeLock.request).toHaveBeenCalledTimes(2);
    await act(async () => void document.dispatchEvent(new Event("pointerup")));
    expect(navigator.wakeLock.request).toHaveBeenCalledTimes(3);
    expect(session.playbackState).toBe("playing");
    expect(session.metadata?.title).toBe("Kwame Mensah");
    act(() => keys.get("togglemicrophone")?.());
    expect(await screen.findByRole("button", { name: "Mute", pressed: true })).toBeVisible();
    expect(session.setMicrophoneActive).toHaveBeenLastCalledWith(false);
    expect(lock.release).not.toHaveBeenCalled();
    act(() => keys.get("hangup")?.());
    expect(await screen.findByText("Call Ended")).toBeVisible();
    expect(lock.release).toHaveBeenCalledOnce();
    expect(session).toMatchObject({ playbackState: "none", metadata: null });
    expect([...keys.values()]).toEqual([null, null]);
    Reflect.deleteProperty(navigator, "wakeLock");
    Reflect.deleteProperty(navigator, "mediaSession");
  });

  test("keeps the caller signed in", async () => {
    const person = await connected();
    await person.click(screen.getByRole("button", { name: "Logout" }));
    expect(await screen.findByText("Hang up before you log out.")).toBeVisible();
    expect(service().asked("POST /api/logout")).toEqual([]);
  });
});
