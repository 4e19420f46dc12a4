import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, test, vi } from "vitest";
import { aBalance, aCall, aCallQuote, aContact, aPrice } from "../../../../test/answers.ts";
import { refused, UNREACHABLE } from "../../../../test/fake-service.ts";
import { openApp, withFakeService } from "../../../../test/open-app.tsx";
import { requestCall, type ShownPrice } from "../../../session/requested-call.ts";
import { phoneEdges } from "../../../../test/phone-in-app.ts";

vi.mock("../../../phone/create-phone.ts", () => import("../../../../test/phone-in-app.ts"));

const service = withFakeService();
afterEach(() => phoneEdges().phone.signOut());

const number = () => screen.findByLabelText("Phone number");
const callNow = () => screen.findByRole("button", { name: "Call Now" });
/** The group is a new element when the price of the country gives way to that of the number. */
const showsPrice = (text: RegExp) =>
  waitFor(() => expect(screen.getByRole("group", { name: "Price of this call" })).toHaveTextContent(text));
const BAHAMAS = {
  number: "+12425550123",
  country_code: "BS",
  country_name: "Bahamas",
  description: "Bahamas mobile",
  rate_per_minute: "0.3250",
};
const shownWith = () =>
  service()
    .asked("POST /api/calls/initiate")
    .map(({ body }) => (body as { shown_price: unknown }).shown_price);
const at = (rate_per_minute: string, first_interval_s = 1, next_interval_s = 1) => ({
  ...{ rate_per_minute, first_interval_s, next_interval_s },
});

describe("a number unknown to libphonenumber", () => {
  test.each([
    ["2425550123", BAHAMAS],
    ["+447700900123", { ...BAHAMAS, number: "+447700900123", country_code: "JE", description: "Jersey mobile" }],
    ["+16495550000", { ...BAHAMAS, number: "+16495550000", country_code: "TC", description: "Turks and Caicos Islands" }],
  ])("%s shows the service's price and destination, and is dialled at it", async (typed, its) => {
    service().on("POST /api/calls/quote", aCallQuote(its));
    service().on("POST /api/calls/initiate", refused("internal"));
    const person = await openApp("/dialer");
    await person.type(await number(), typed);
    expect(await screen.findByText(its.description)).toBeVisible();
    await showsPrice(/\$0\.3250\/min/);
    await person.click(await callNow());
    await waitFor(() => expect(shownWith()).toEqual([at("0.3250")]));
    expect(service().asked("POST /api/calls/initiate")[0]?.body).toMatchObject({ destination_number: its.number });
  });
});

describe("a number that is still being typed", () => {
  const price = () => screen.queryByRole("group", { name: "Price of this call" });

  test.each([
    ["+44", "United Kingdom mobile"],
    ["00 44", "United Kingdom mobile"],
    ["011 44 20", "United Kingdom mobile"],
    ["+233 2", "Ghana mobile"],
    ["+1 6", "United States mobile"],
  ])("%s shows the usual price and the clock of its country", async (typed, what) => {
    const person = await openApp("/dialer");
    await person.type(await number(), typed);
    await waitFor(() => expect(price()).toHaveTextContent(what));
    expect(screen.queryByText(/in New York/) !== null).toBe(what.startsWith("United States"));
  });

  test("selects its country from its calling code on", async () => {
    const person = await openApp("/dialer");
    await person.type(await number(), "+44");
    await waitFor(() => expect(screen.getByLabelText("Country")).toHaveValue("GB"));
    await person.type(await number(), "{Backspace}{Backspace}1");
    await waitFor(() => expect(screen.getByLabelText("Country")).toHaveValue("US"));
  });

  test.each(["+9", "+99", "+999"])("%s shows no country's price and clock", async (typed) => {
    const person = await openApp("/dialer");
    expect(await screen.findByText(/in New York/)).toBeVisible();
    await person.type(await number(), typed);
    await waitFor(() => expect(price()).toBeNull());
    expect(screen.queryByText(/in New York/)).toBeNull();
  });
});

describe("a press before the price has loaded", () => {
  test("waits with a message, and calls if the price is not above the one shown", async () => {
    const release = service().hold("POST /api/calls/quote", aCallQuote());
    service().on("POST /api/calls/initiate", refused("internal"));
    const person = await openApp("/dialer");
    await person.selectOptions(await screen.findByLabelText("Country"), "GH");
    await person.type(await number(), "0200000142{Enter}");
    expect(await screen.findByRole("button", { name: "Getting the price..." })).toBeVisible();
    expect(service().asked("POST /api/calls/initiate")).toEqual([]);
    release();
    await waitFor(() => expect(shownWith()).toEqual([at("0.1420")]));
  });

  test.each([
    ["price", aPrice(BAHAMAS)],
    ["increment", aPrice({ ...BAHAMAS, rate_per_minute: "0.0210", first_interval_s: 60, next_interval_s: 60 })],
  ])("asks again when the %s is higher than what was on the screen", async (_what, its) => {
    const release = service().hold("POST /api/calls/quote", aCallQuote(its));
    service().on("POST /api/calls/initiate", refused("internal"));
    const person = await openApp("/dialer");
    await person.type(await number(), "2425550123{Enter}");
    release();
    expect(await screen.findByText(/^The price is now \$0\.\d{4}\/min\. Press Call Now to call\.$/)).toHaveAttribute(
      "role",
      "alert",
    );
    expect(service().asked("POST /api/calls/initiate")).toEqual([]);
    await person.click(await callNow());
    await waitFor(() => expect(shownWith()).toHaveLength(1));
  });

  test("is discarded when the number is edited", async () => {
    const release = service().hold("POST /api/calls/quote", aCallQuote());
    const person = await openApp("/dialer");
    await person.selectOptions(await screen.findByLabelText("Country"), "GH");
    await person.type(await number(), "0200000142{Enter}");
    await screen.findByRole("button", { name: "Getting the price..." });
    await person.type(await number(), "{Backspace}2");
    release();
    expect(await screen.findByText("Charged by the second")).toBeVisible();
    expect(await callNow()).toBeEnabled();
    expect(service().asked("POST /api/calls/initiate")).toEqual([]);
  });

  test("shows an error if the price does not load, and the next press retries", async () => {
    service().on("POST /api/calls/quote", UNREACHABLE);
    const person = await openApp("/dialer");
    await person.type(await number(), "+233200000142{Enter}");
    expect(
      await screen.findByText("The price could not be loaded. Press Call Now to try again. Check your connection."),
    ).toBeVisible();
    service().on("POST /api/calls/quote", aCallQuote());
    await person.click(await callNow());
    expect(await screen.findByText("Ghana Mobile Vodafone")).toBeVisible();
  });
});

describe("a price that rose while the page was open", () => {
  test("is shown, and accepted with one press", async () => {
    service().on("POST /api/calls/quote", aCallQuote());
    service().on("POST /api/calls/initiate", () => {
      service().on("POST /api/calls/quote", aCallQuote({ rate_per_minute: "0.3250" }));
      return refused("price_changed", "The price is now $0.3250.", { price: aPrice({ rate_per_minute: "0.3250" }) });
    });
    const person = await openApp("/dialer?number=%2B233200000142");
    await waitFor(async () => expect(await callNow()).toBeEnabled());
    expect(await screen.findByText("Charged by the second")).toBeVisible();
    await person.click(await callNow());
    const words = "The price is now $0.3250/min. Press Call Now to call.";
    expect(await within(screen.getByRole("main")).findByText(words)).toBeVisible();
    await showsPrice(/\$0\.3250\/min/);
    await person.click(await callNow());
    await waitFor(() => expect(shownWith()).toEqual([at("0.1420"), at("0.3250")]));
  });
});

describe("calling a favourite from the list", () => {
  const fullMinutes = { first_interval_s: 60, next_interval_s: 60 };
  test.each([
    ["calls at once at the price beside the name", {}, {}, 1],
    ["calls at once at the increment beside the name", fullMinutes, fullMinutes, 1],
    ["asks first when it costs more", {}, { rate_per_minute: "0.1500" }, 0],
    ["asks first when it is charged in longer steps", {}, fullMinutes, 0],
  ])("%s", async (_name, beside, its, calls) => {
    service().on("GET /api/contacts", { contacts: [aContact({ favorite: true, ...beside })], next_cursor: null, total: 1 });
    service().on("POST /api/calls/quote", aCallQuote(its));
    service().on("POST /api/calls/initiate", refused("internal"));
    const person = await openApp("/dialer");
    const list = within(await screen.findByRole("region", { name: "Tap to call" }));
    const row = list.getByRole("button", { name: /^Call Kwame Mensah, \$0\.1420\/min/ });
    expect(list.queryByText("by the full minute") !== null).toBe("first_interval_s" in beside);
    await person.click(row);
    if (calls === 0) await screen.findByText(/^The price is now \$0\.1[45][02]0\/min\. Press Call Now to call\.$/);
    await waitFor(() => expect(shownWith()).toHaveLength(calls));
  });
});

describe("calling from the list of contacts", () => {
  test.each([
    ["opens the dialer and calls at once at the price beside the name", {}, 1],
    ["asks first when it costs more", { rate_per_minute: "0.1500" }, 0],
  ])("%s", async (_name, its, calls) => {
    service().on("GET /api/contacts", { contacts: [aContact({ favorite: true })], next_cursor: null, total: 1 });
    service().on("POST /api/calls/quote", aCallQuote(its));
    service().on("POST /api/calls/initiate", refused("internal"));
    const person = await openApp("/contacts");
    await person.click(await screen.findByRole("button", { name: /^Kwame Mensah, / }));
    await person.click(await screen.findByRole("button", { name: "Call Kwame Mensah" }));
    await waitFor(async () => expect(await number()).toHaveValue("+233 20 000 0142"));
    if (calls === 0) await screen.findByText(/^The price is now \$0\.1500\/min\. Press Call Now to call\.$/);
    await waitFor(() => expect(shownWith()).toHaveLength(calls));
  });

  test("does nothing later, when the dialer did not open", async () => {
    requestCall({ number: "+233200000142", name: "Kwame Mensah", shown: aContact() as ShownPrice });
    const now = performance.now.bind(performance);
    vi.spyOn(performance, "now").mockImplementation(() => now() + 11_000);
    await openApp("/dialer");
    expect(await number()).toHaveValue("");
    vi.useRealTimers();
  });
});

describe("calling a recent number again", () => {
  test.each([
    ["calls at once at the same price", "0.1420", 1],
    ["asks first when it has become more expensive", "0.1500", 0],
  ])("%s", async (_name, rate, calls) => {
    service().on("GET /api/calls/history", { calls: { data: [aCall()], next_cursor: null, total: 1 } });
    service().on("POST /api/calls/quote", aCallQuote({ rate_per_minute: rate }));
    service().on("POST /api/calls/initiate", refused("internal"));
    const person = await openApp("/dialer");
    await person.click(await screen.findByRole("button", { name: /^Call .* again/ }));
    if (calls === 0) await screen.findByText("The price is now $0.1500/min. Press Call Now to call.");
    await waitFor(() => expect(shownWith()).toHaveLength(calls));
  });
});

describe("Call Now is not offered", () => {
  test.each([
    ["destination_blocked", "We cannot place calls to this number."],
    ["no_rate", "We have no rate for this number."],
  ] as const)("for a number that is refused with %s", async (code, words) => {
    service().on("POST /api/calls/quote", refused(code, words));
    const person = await openApp("/dialer");
    await person.type(await number(), "+19005550123");
    expect(await screen.findByText(words)).toBeVisible();
    expect(await callNow()).toBeDisabled();
  });

  test("for a destination that is closed to this customer", async () => {
    const refusal = {
      code: "destination_not_open",
      reason: "destination_not_open",
      message: "New accounts can’t call this destination yet.",
    };
    service().on("POST /api/calls/quote", aCallQuote({}, { max_seconds: null, refusal }));
    const person = await openApp("/dialer");
    await person.type(await number(), "+5351234567");
    expect(await screen.findByText(refusal.message)).toBeVisible();
    expect(await callNow()).toBeDisabled();
  });

  test("for an emergency number", async () => {
    const person = await openApp("/dialer");
    await person.type(await number(), "112");
    expect(await callNow()).toBeDisabled();
  });
});

test.each([
  ["the maximum length of a free first call", 46, "Then $0.3200/min, if you add credit"],
  ["for how long the first call is free before credit of one's own pays", 600, "Then $0.3200/min"],
])("the board shows %s", async (_what, max_seconds, then) => {
  service().on("GET /api/billing/balance", aBalance({ available: "0.250000" }));
  service().on("POST /api/calls/quote", aCallQuote({ rate_per_minute: "0.3200" }, { max_seconds, free_seconds: 46 }));
  await openApp(`/dialer?${new URLSearchParams({ number: "+233200000142" })}`);
  expect(await screen.findByText("Free call")).toBeVisible();
  expect(screen.getByText("46 s")).toBeVisible();
  expect(screen.getByText(then)).toBeVisible();
  expect(screen.queryByText("Your balance is too low for this call")).toBeNull();
  expect(await callNow()).toBeEnabled();
});

test("the board shows the country's usual price until the number's price is known", async () => {
  const release = service().hold("POST /api/calls/quote", aCallQuote());
  const person = await openApp("/dialer");
  await person.selectOptions(await screen.findByLabelText("Country"), "GH");
  await person.type(await number(), "0200000142");
  const price = within(await screen.findByRole("group", { name: "Price of this call" }));
  expect(await price.findByText("Ghana mobile")).toBeVisible();
  expect(price.queryByText(/^Charged/)).toBeNull();
  release();
  expect(await price.findByText("Ghana Mobile Vodafone")).toBeVisible();
  expect(service().asked("POST /api/calls/quote").at(-1)?.body).toEqual({ destination_number: "+233200000142" });
});
