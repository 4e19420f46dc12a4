import type { NumberSuggestion } from "@farline/contract/call-history.ts";
import { screen, waitFor } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { aCallQuote } from "../../../../test/answers.ts";
import { refused } from "../../../../test/fake-service.ts";
import { openApp, withFakeService } from "../../../../test/open-app.tsx";
import { phoneEdges } from "../../../../test/phone-in-app.ts";

vi.mock("../../../phone/create-phone.ts", () => import("../../../../test/phone-in-app.ts"));

const service = withFakeService();

afterEach(() => phoneEdges().phone.signOut());

const KWAME = { phone_number: "+233200000142", extension: "", country_code: "GH", name: "Kwame Mensah" };
const LONDON = { phone_number: "+442079460000", extension: "", country_code: "GB", name: null };

const field = () => screen.findByRole("combobox", { name: "Phone number" });
const shown = () => screen.queryAllByRole("option").filter((option) => option.closest("[role=listbox]") !== null);

async function openDialer(matches: (search: string) => NumberSuggestion[] = () => [KWAME, LONDON]) {
  service().on("GET /api/calls/suggestions", ({ query }) => ({ suggestions: matches(query["search"] ?? "") }));
  service().on("POST /api/calls/quote", aCallQuote());
  return openApp("/dialer");
}

test("pressing the empty field offers this week's numbers with their local time, and a press fills one in", async () => {
  const person = await openDialer((search) => (search === "" ? [KWAME, LONDON] : []));
  expect(shown()).toEqual([]);
  await person.click(await field());
  await waitFor(() => expect(shown()).toHaveLength(2));
  const [kwame, london] = shown();
  await waitFor(() => expect(kwame).toHaveTextContent(/^Kwame Mensah.*\+233 20 000 0142.*\d+:\d\d\s[AP]M/));
  expect(london).toHaveTextContent(/^.?\+44 20 7946 0000/);
  await person.click(kwame as HTMLElement);
  await waitFor(async () => expect(await field()).toHaveValue("+233 20 000 0142"));
  expect(screen.getByLabelText("Country")).toHaveValue("GH");
  expect(shown()).toEqual([]);
});

test("digits are matched, and the arrow keys and Enter choose without dialling", async () => {
  const person = await openDialer((search) => (search.startsWith("02") ? [LONDON, KWAME] : []));
  await person.type(await field(), "020");
  await waitFor(() => expect(shown()).toHaveLength(2));
  expect(await field()).toHaveAttribute("aria-expanded", "true");
  expect(await field()).not.toHaveAttribute("aria-activedescendant");
  await person.keyboard("{ArrowDown}{ArrowDown}");
  expect(shown().map((option) => option.getAttribute("aria-selected"))).toEqual(["false", "true"]);
  expect(await field()).toHaveAttribute("aria-activedescendant", shown()[1]?.id);
  await person.keyboard("{ArrowDown}{Enter}");
  await waitFor(async () => expect(await field()).toHaveValue("+44 20 7946 0000"));
  expect(await field()).toHaveAttribute("aria-expanded", "false");
  expect(service().asked("POST /api/calls/initiate")).toEqual([]);
});

test("Enter after a name takes the first match", async () => {
  const person = await openDialer((search) => (search === "kwa" ? [KWAME] : []));
  await person.type(await field(), "kwa");
  await waitFor(() => expect(shown()).toHaveLength(1));
  await person.keyboard("{Enter}");
  await waitFor(async () => expect(await field()).toHaveValue("+233 20 000 0142"));
});

test("typing a country's name selects the country", async () => {
  const person = await openDialer(() => []);
  await person.type(await field(), "united k");
  await waitFor(() => expect(shown().map((option) => option.textContent)).toEqual(["United KingdomChoose country"]));
  await person.keyboard("{Enter}");
  expect(await field()).toHaveValue("");
  expect(screen.getByLabelText("Country")).toHaveValue("GB");
});

test.each([
  ["UK", "United Kingdom"],
  ["U.S.A.", "United States"],
  ["Burma", "Myanmar"],
  ["Alemania", "Germany"],
  ["الهند", "India"],
  ["Philipines", "Philippines"],
])("%j is a country's name", async (typed, country) => {
  const person = await openDialer(() => []);
  await person.type(await field(), typed);
  await waitFor(() => expect(shown()[0]).toHaveTextContent(country));
});

test("Escape closes the list and keeps the number; a complete number is not suggested", async () => {
  service().on("POST /api/calls/initiate", refused("too_many_live_calls", "You already have a call open. End it first."));
  const person = await openDialer();
  await person.type(await field(), "0200");
  await waitFor(() => expect(shown()).toHaveLength(2));
  await person.keyboard("{Escape}");
  expect(shown()).toEqual([]);
  expect(await field()).toHaveValue("0200");
  await person.clear(await field());
  await person.type(await field(), "+442079460000");
  await waitFor(() => expect(shown()).toHaveLength(1));
  expect(shown()[0]).toHaveTextContent("Kwame Mensah");
  await screen.findByText("Charged by the second");
  await person.keyboard("{Enter}");
  expect(shown()).toEqual([]);
  await waitFor(() => expect(service().asked("POST /api/calls/initiate")).toHaveLength(1));
});

test("the field works without suggestions, and when they fail", async () => {
  service().on("GET /api/calls/suggestions", refused("rate_limited", "Too many attempts."));
  service().on("POST /api/calls/quote", aCallQuote());
  const person = await openApp("/dialer");
  await person.type(await field(), "+233200000142");
  await waitFor(() => expect(service().asked("GET /api/calls/suggestions").length).toBeGreaterThan(0));
  expect(shown()).toEqual([]);
  expect(screen.queryByText("Too many attempts.")).toBeNull();
  expect(await screen.findByRole("button", { name: "Call Now" })).toBeEnabled();
});

test("the next visit starts with the last country", async () => {
  const person = await openDialer(() => []);
  await person.selectOptions(await screen.findByLabelText("Country"), "GB");
  await openApp("/contacts");
  await openApp("/dialer");
  for (const country of await screen.findAllByLabelText("Country")) expect(country).toHaveValue("GB");
});
