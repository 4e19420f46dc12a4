import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, test, vi } from "vitest";
import { aBalance, aConfig, aCallQuote, aUser } from "../../../../test/answers.ts";
import { refused, UNREACHABLE } from "../../../../test/fake-service.ts";
import { openApp, withFakeService } from "../../../../test/open-app.tsx";
import { phoneEdges } from "../../../../test/phone-in-app.ts";
import { PhoneError } from "../../../phone/phone-error.ts";

vi.mock("../../../phone/create-phone.ts", () => import("../../../../test/phone-in-app.ts"));

const service = withFakeService();

afterEach(() => {
  phoneEdges().phone.signOut();
  phoneEdges().microphone.refuse = null;
});

const number = () => screen.findByLabelText("Phone number");
const callNow = () => screen.findByRole("button", { name: "Call Now" });

describe("ambiguous digits", () => {
  test("are neither priced nor dialled until the user chooses a number", async () => {
    service().on("POST /api/calls/quote", aCallQuote());
    const person = await openApp("/dialer");
    await person.type(await number(), "6462345678");
    await person.click(await callNow());
    const question = within(await screen.findByRole("group", { name: "Which number do you mean?" }));
    const [atHome, abroad] = question.getAllByRole("button");
    expect(atHome).toHaveTextContent(/\+1 646 234 5678.*United States/);
    expect(abroad).toHaveTextContent(/\+64 6 234 5678.*New Zealand/);
    expect(screen.queryByRole("group", { name: "Price of this call" })).toBeNull();
    await person.click(abroad as HTMLElement);
    expect(await number()).toHaveValue("+64 6 234 5678");
    expect(await screen.findByRole("group", { name: "Price of this call" })).toBeVisible();
    expect(screen.queryByText("Which number do you mean?")).toBeNull();
    expect(service().asked("POST /api/calls/quote").at(-1)?.body).toMatchObject({ destination_number: "+6462345678" });
    expect(service().asked("POST /api/calls/initiate")).toEqual([]);
  });

  test("keep the extension typed with them", async () => {
    service().on("POST /api/calls/quote", aCallQuote());
    const person = await openApp("/dialer");
    await person.type(await number(), "6462345678,,12");
    await person.click(await screen.findByRole("button", { name: /\+64 6 234 5678/ }));
    expect(await number()).toHaveValue("+64 6 234 5678");
    expect(screen.getByLabelText("Extension")).toHaveValue(",,12");
  });
});

test("an unassigned code says so", async () => {
  const person = await openApp("/dialer");
  await person.type(await number(), "+99912345678");
  expect(await screen.findByText(/^No country has the code .?\+999.?\.$/)).toBeVisible();
});

describe("a number of a former plan", () => {
  test.each([
    ["+22507123456", /Ivory Coast changed in 2021\. Do you mean this number\?/, /\+225 07 07 12 3456/, "+225 07 07 12 3456"],
    ["+841663124567", /Vietnam changed in 2018\. Do you mean this number\?/, /\+84 363 124 567/, "+84 363 124 567"],
  ])("%s is not priced; today's is one press away", async (typed, why, button, entered) => {
    service().on("POST /api/calls/quote", refused("number_invalid", "This is an old number."));
    const person = await openApp("/dialer");
    await person.type(await number(), typed);
    const question = within(await screen.findByRole("group", { name: why }));
    expect(screen.queryByRole("group", { name: "Price of this call" })).toBeNull();
    service().on("POST /api/calls/quote", aCallQuote());
    await person.click(question.getByRole("button", { name: button }));
    expect(await number()).toHaveValue(entered);
    expect(await screen.findByRole("group", { name: "Price of this call" })).toBeVisible();
  });

  test("says only when it changed where today's number is not known", async () => {
    const person = await openApp("/dialer");
    await person.type(await number(), "+5022345678");
    expect(await screen.findByText("This is an old number. Numbers in Guatemala changed in 2004.")).toBeVisible();
    expect(service().asked("POST /api/calls/quote")).toEqual([]);
  });
});

test("a former number that only the service knows is asked about, too", async () => {
  const choices = [{ number: "+233200000142", country_code: "GH", country_name: "Ghana" }];
  service().on("POST /api/calls/quote", refused("number_invalid", "This is an old number.", { choices }));
  const person = await openApp("/dialer");
  await person.type(await number(), "+233200000141");
  const question = within(await screen.findByRole("group", { name: "This is an old number. Do you mean this number?" }));
  await person.click(question.getByRole("button", { name: /\+233 20 000 0142/ }));
  expect(await number()).toHaveValue("+233 20 000 0142");
});

test.each([
  ["two numbers", "+44 20 7946 0018, +44 20 7946 0019", 1, "+44 20 7946 0019"],
  ["a note of digits", "+49 30 901820 (2)", 0, "+49 30 901820"],
])("%s in one paste are a question, not an extension", async (_, pasted, at, entered) => {
  service().on("POST /api/calls/quote", aCallQuote());
  const person = await openApp("/dialer");
  await person.click(await number());
  await person.paste(pasted);
  const question = within(await screen.findByRole("group", { name: "Which number do you mean?" }));
  await person.click(question.getAllByRole("button")[at] as HTMLElement);
  expect(await number()).toHaveValue(entered);
  expect(screen.queryByLabelText("Extension")).toBeNull();
});

test("a word on the keys is shown as digits before the call", async () => {
  service().on("POST /api/calls/quote", aCallQuote());
  const person = await openApp("/dialer");
  await person.type(await number(), "1-800-FLOWERS");
  expect(await screen.findByText(/\+1 800 356 9377/)).toBeVisible();
  const asked = () => service().asked("POST /api/calls/quote").at(-1)?.body;
  await waitFor(() => expect(asked()).toMatchObject({ destination_number: "+18003569377" }));
});

describe("the number", () => {
  test("in any format selects its country, separates its extension, and shows its price and local time", async () => {
    service().on("POST /api/calls/quote", aCallQuote());
    await openApp(`/dialer?${new URLSearchParams({ number: "+233200000142", name: "Kwame Mensah" })}`);
    await waitFor(async () => expect(await number()).toHaveValue("+233 20 000 0142"));
    expect(window.location.search).toBe("");
    expect(screen.getByLabelText("Country")).toHaveValue("GH");
    const price = within(await screen.findByRole("group", { name: "Price of this call" }));
    expect(await price.findByText("Ghana Mobile Vodafone")).toBeVisible();
    expect(screen.getByRole("group", { name: "Price of this call" })).toHaveTextContent("$0.1420/min");
    expect(price.getByText("35 min with your balance")).toBeVisible();
    expect(price.getByText("Charged by the second")).toBeVisible();
    expect(screen.getByText(/^It’s (\d+:\d\d\s[AP]M there|night there: \d+:\d\d\s[AP]M)$/)).toBeVisible();
  });

  test("shows before the press that this customer cannot call it", async () => {
    const refusal = {
      code: "daily_cap_reached",
      reason: "daily_cap_reached",
      message: "You have reached your own limit for today: $0.00 of it is left.",
    };
    service().on("POST /api/calls/quote", aCallQuote({}, { max_seconds: null, refusal }));
    await openApp(`/dialer?${new URLSearchParams({ number: "+233200000142" })}`);
    expect(await screen.findByText(/You have reached your own limit for today/)).toBeVisible();
    expect(screen.queryByRole("group", { name: "Price of this call" })).toBeNull();
  });

  test("shows the city of the local time in a country with several time zones", async () => {
    await openApp("/dialer");
    expect(await screen.findByText(/^\d+:\d\d\s[AP]M in New York$/)).toBeVisible();
  });

  test("shows the time where the number's digits say it is, with its place", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-06-01T02:30:00Z") });
    const price = { number: "+12135550123", country_code: "US", country_name: "United States" };
    service().on("POST /api/calls/quote", aCallQuote(price, { time_zone: "America/Los_Angeles" }));
    await openApp(`/dialer?${new URLSearchParams({ number: "+12135550123" })}`);
    expect(await screen.findByText(/^7:30\sPM in Los Angeles$/)).toBeVisible();
    expect(screen.queryByText(/in New York/)).toBeNull();
    vi.useRealTimers();
  });

  test("warns of the night at the destination once it is entered, not before", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-06-01T02:30:00Z") });
    const person = await openApp("/dialer");
    expect(await screen.findByText(/^10:30\sPM in New York$/)).toBeVisible();
    await person.type(await number(), "+233");
    expect(await screen.findByText(/^It’s night there: 2:30\sAM$/)).toBeVisible();
    vi.useRealTimers();
  });

  test("can be typed without focus, deleted, and cleared with Escape", async () => {
    const person = await openApp("/dialer");
    await number();
    await person.keyboard("44");
    await waitFor(async () => expect(await number()).toHaveValue("44"));
    await person.keyboard("{Backspace}");
    expect(await number()).toHaveValue("4");
    await person.keyboard("{Escape}");
    expect(await number()).toHaveValue("");
    for (let repeated = 0; repeated < 10; repeated += 1) fireEvent.keyDown(document.body, { key: "٤", repeat: repeated > 0 });
    expect(await number()).toHaveValue("4");
  });

  test("of letters loses one with each Backspace, in the field and without focus", async () => {
    const person = await openApp("/dialer");
    await person.type(await number(), "Anika{Backspace}");
    expect(await number()).toHaveValue("Anik");
    await person.click(screen.getByRole("button", { name: "Delete" }));
    expect(await number()).toHaveValue("Ani");
  });

  test("pasted with other characters becomes digits and an extension", async () => {
    service().on("POST /api/calls/quote", aCallQuote({ country_code: "GB" }));
    const person = await openApp("/dialer");
    fireEvent.change(await number(), { target: { value: "tel:0044-20 (7946) 0001 ext. 12#" } });
    await waitFor(() => expect(screen.getByLabelText("Country")).toHaveValue("GB"));
    expect((await number()).getAttribute("value")).toMatch(/^00\D*44\D*20\D*7946\D*0001$/);
    expect(screen.getByLabelText("Extension")).toHaveValue(",,12#");
    await person.click(screen.getByRole("button", { name: "Remove the extension" }));
    expect(screen.queryByLabelText("Extension")).toBeNull();
  });

  test("keeps the chosen country if the other country lacks its exit code", async () => {
    service().on("POST /api/calls/quote", aCallQuote({ country_code: "GB" }));
    const person = await openApp("/dialer");
    await person.type(await number(), "011442071838750");
    await waitFor(() =>
      expect(service().asked("POST /api/calls/quote").at(-1)?.body).toMatchObject({ destination_number: "+442071838750" }),
    );
    expect(screen.getByLabelText("Country")).toHaveValue("US");
  });

  test("can be entered on the pad", async () => {
    const person = await openApp("/dialer");
    const pad = within(await screen.findByRole("group", { name: "Dial pad" }));
    for (const name of [/^2/, /^0/, "Star", "Hash"]) await person.click(pad.getByRole("button", { name }));
    expect(await number()).toHaveValue("20*#");
    await person.click(screen.getByRole("button", { name: "Delete" }));
    expect(await number()).toHaveValue("20*");
    await person.click(screen.getByRole("button", { name: "Clear" }));
    expect(await number()).toHaveValue("");
  });

  test("disables the button while empty, and Enter says why", async () => {
    const person = await openApp("/dialer");
    expect(await callNow()).toBeDisabled();
    await person.type(await number(), "{Enter}");
    expect(await screen.findByText("Please enter a phone number")).toBeVisible();
  });

  test("shows an error at the field after an attempt if invalid, and sends no request", async () => {
    const person = await openApp("/dialer");
    await person.type(await number(), "1234567");
    await person.click(await callNow());
    const words = "This number is too short or too long. Check it.";
    await waitFor(async () => expect(await number()).toHaveAccessibleDescription(words));
    expect(await number()).toBeInvalid();
    expect(service().asked("POST /api/calls/initiate")).toEqual([]);
  });

  test("of an emergency service shows an explanation and is never dialled", async () => {
    const person = await openApp("/dialer");
    await person.type(await number(), "911{Enter}");
    const words = await screen.findByText("This service cannot place emergency calls. Use your phone and dial 911.");
    expect(words.closest("[role=alert]")).not.toBeNull();
    expect(service().asked("POST /api/calls/initiate")).toEqual([]);
  });

  test.each([
    [aCallQuote({}, { max_seconds: 600 }), "Calls up to 10 min"],
    [aCallQuote({ rate_per_minute: "9.0000" }), "Your balance is too low for this call"],
  ] as const)("says what its price means for the length of a call (%#)", async (quote, words) => {
    service().on("POST /api/calls/quote", quote);
    const person = await openApp("/dialer");
    await person.type(await number(), "+233200000142");
    expect(await screen.findByText(words)).toBeVisible();
  });

  test.each([
    ["911", "This service cannot place emergency calls. Use your phone and dial 911."],
    ["*67", "Numbers with * or # cannot be called. Use the keypad in the call."],
    ["311", "Short numbers work only inside their country. Enter the full number."],
  ])("%s has no price, and the reason is told before Call Now is pressed", async (typed, reason) => {
    const person = await openApp("/dialer");
    expect(await screen.findByRole("group", { name: "Price of this call" })).toBeVisible();
    await person.type(await number(), typed);
    expect(await screen.findByText(reason)).toBeVisible();
    expect(screen.queryByRole("group", { name: "Price of this call" })).toBeNull();
  });

  test("shows a new customer without credit the free first call, not a low balance", async () => {
    service().on("GET /api/config", aConfig({ first_call: "0.25" }));
    service().on("GET /api/user", { user: aUser({ email_verified: false }) });
    service().on("GET /api/billing/balance", aBalance({ balance: "0.00", available: "0.00" }));
    const refusal = { code: "insufficient_credit", reason: "insufficient_credit", message: "Add credit to make this call." };
    service().on("POST /api/calls/quote", aCallQuote({}, { max_seconds: null, refusal }));
    const person = await openApp(`/dialer?${new URLSearchParams({ number: "+233200000142" })}`);
    expect(await screen.findByText("Free call to this number: 1 min 45 s.")).toBeVisible();
    expect(screen.queryByText("Your balance is too low for this call")).toBeNull();
    expect(await callNow()).toBeDisabled();
    expect(await callNow()).toHaveAccessibleDescription(/Confirm your email for a free first call/);
    service().on("POST /api/email/verify/code", refused("code_wrong", "This code is wrong. Attempts left: 4."));
    await person.click(screen.getByLabelText("Code from the email"));
    await person.paste("Dear Grace 2, your code is 407 215. Type it within 15 minutes.");
    expect(await screen.findByText("This code is wrong. Attempts left: 4.")).toBeVisible();
    expect(service().asked("POST /api/email/verify/code")[0]?.body).toEqual({ code: "407215" });
    service().on("POST /api/email/verify/code", () => {
      service().on("GET /api/user", { user: aUser({ email_verified: true }) });
      service().on("POST /api/calls/quote", aCallQuote({}, { max_seconds: 105, free_seconds: 105 }));
      return {
        status: "verified",
        reason: "email_confirmed",
        message: "Your email address is confirmed.",
        email: "g@example.com",
      };
    });
    await person.type(screen.getByLabelText("Code from the email"), "407216");
    expect(await screen.findByText("Free call")).toBeVisible();
    expect(await callNow()).toBeEnabled();
  });
});

describe("a call that cannot be made", () => {
  /** The panel on the page; a toast has the same text. */
  const reason = () => within(screen.getByRole("main")).findByRole("alert");
  async function dial(before = () => {}) {
    service().on("POST /api/calls/quote", aCallQuote());
    const person = await openApp("/dialer?number=%2B233200000142");
    await waitFor(async () => expect(await callNow()).toBeEnabled());
    before();
    await person.click(await callNow());
    return person;
  }

  test("for lack of credit says so in one sentence, with a link to the top-up", async () => {
    service().on(
      "POST /api/calls/initiate",
      refused("insufficient_credit", "You need $0.05 more to make this call.", {
        credit: { required: "0.142000", available: "0.100000", missing: "0.042000" },
      }),
    );
    await dial();
    const alert = await reason();
    expect(alert).toHaveTextContent(/^You need \$0\.05 more to make this call\.Top Up$/);
    expect(within(alert).getByRole("link", { name: "Top Up" })).toHaveAttribute("href", "/topup");
  });

  test("because of a failed connection says what to do, with the technical message below", async () => {
    service().on("POST /api/calls/initiate", UNREACHABLE);
    await dial();
    const alert = within(await reason());
    expect(alert.getByText("The call could not be started. Check your connection and try again.")).toBeVisible();
    expect(alert.getByText("Failed to initiate call")).toBeVisible();
  });

  test.each([
    ["email_not_confirmed", "Confirm your email address to call this destination."],
    ["country_not_allowed", "Your own limits do not allow calls to this country."],
    ["too_many_live_calls", "You already have a call open. End it first."],
    ["account_closing", "Your account is closing."],
    ["destination_blocked", "We cannot place calls to this number."],
    ["destination_not_open", "New accounts can’t call this destination yet."],
    ["fresh_credit", "For 24 hours, only part of a new payment can be used for calls like this."],
    ["calls_paused", "Your calls are paused because they look automatic."],
    ["spend_limit_reached", "You have reached today’s limit for calls like this."],
    ["too_many_destinations", "You called many different numbers in one day. Try again tomorrow."],
    ["call_cap_too_low", "Your own limit per call is too low for this call."],
    ["forbidden", "This is not allowed."],
    ["internal", "Something went wrong on our side. Try again."],
  ] as const)("because the service says %s tells its words, until another number is typed", async (code, words) => {
    service().on("POST /api/calls/initiate", refused(code, words));
    const person = await dial();
    expect(await reason()).toHaveTextContent(words);
    expect(await callNow()).toBeEnabled();
    await person.type(await number(), "3");
    await waitFor(() => expect(within(screen.getByRole("main")).queryByRole("alert")).toBeNull());
  });

  test.each([
    ["microphone_denied", /^Open the settings of this site in your browser and allow the microphone\./],
    ["microphone_missing", /^No microphone was found\. Connect one and try again\./],
    ["microphone_busy", /^The microphone does not answer\./],
  ] as const)("for %s says so before any credit is set aside", async (code, words) => {
    await dial(() => (phoneEdges().microphone.refuse = new PhoneError(code)));
    await waitFor(async () => expect(await reason()).toHaveTextContent(words));
    expect(service().asked("POST /api/calls/initiate")).toEqual([]);
  });

  test("for a microphone that the system refuses says where to allow it there", async () => {
    vi.spyOn(navigator, "userAgent", "get").mockReturnValue(
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0.0.0 Safari/537.36",
    );
    const cause = new DOMException("Permission denied by system", "NotAllowedError");
    await dial(() => (phoneEdges().microphone.refuse = new PhoneError("microphone_denied", { cause })));
    expect(await screen.findByText(/^Windows blocks the microphone\./)).toBeVisible();
    // A toast says it in the specification's words.
    expect(screen.getByText(/^Microphone access is required to make calls\. Please allow/)).toBeVisible();
    vi.restoreAllMocks();
  });

  test("for lack of a microphone says so beside the price, which may be right all the same", async () => {
    const devices = { enumerateDevices: async () => [], addEventListener: () => undefined, getUserMedia: () => undefined };
    const spy = vi.spyOn(navigator, "mediaDevices", "get").mockReturnValue(devices as unknown as MediaDevices);
    service().on("POST /api/calls/quote", aCallQuote());
    await openApp("/dialer?number=%2B233200000142");
    await phoneEdges().phone.refreshDevices();
    expect(await screen.findByText(/^No microphone was found\./)).toBeVisible();
    expect(await callNow()).toBeEnabled();
    expect(within(screen.getByRole("main")).getAllByText(/\/min/).length).toBeGreaterThan(0);
    devices.enumerateDevices = async () => [{ kind: "audioinput", deviceId: "", label: "" }] as never;
    await phoneEdges().phone.refreshDevices();
    await waitFor(() => expect(screen.queryByText(/^No microphone was found\./)).toBeNull());
    spy.mockRestore();
  });

  test("is not attempted while offline", async () => {
    vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
    service().on("POST /api/calls/quote", aCallQuote());
    await openApp("/dialer?number=%2B233200000142");
    expect(await screen.findByText("You are offline.")).toBeVisible();
    expect(await callNow()).toBeDisabled();
  });
});
