import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { aUser } from "../../test/answers.ts";
import { openApp, withFakeService } from "../../test/open-app.tsx";
import { phoneEdges } from "../../test/phone-in-app.ts";
import { carryNumber, readCarriedNumber } from "./carried-number.ts";

vi.mock("../phone/create-phone.ts", () => import("../../test/phone-in-app.ts"));

const service = withFakeService();
beforeEach(() => localStorage.removeItem("carried-number"));
afterEach(() => vi.useRealTimers());

const number = () => screen.findByLabelText("Phone number");

test("a number typed before sign-up fills the dialer with its country, in every tab of this customer only, and is not dialled", async () => {
  carryNumber({ number: "020 000 0142", country: "GH" });
  await openApp("/dialer");
  await waitFor(async () => expect(((await number()) as HTMLInputElement).value.replaceAll(" ", "")).toBe("0200000142"));
  expect(screen.getByLabelText("Country")).toHaveValue("GH");
  expect(readCarriedNumber(aUser().id)).toEqual({ number: "020 000 0142", country: "GH" });
  expect(readCarriedNumber("somebody else")).toBeNull();
  expect(service().asked("POST /api/calls/initiate")).toEqual([]);
  phoneEdges().phone.signOut();
});

test("a country chosen on a country page is selected in the dialer", async () => {
  carryNumber({ number: "", country: "GH" });
  await openApp("/dialer");
  await waitFor(async () => expect(await screen.findByLabelText("Country")).toHaveValue("GH"));
  expect(await number()).toHaveValue("");
});

test("a number left in the dialer, for example to top up, is there on return, with its extension", async () => {
  const person = await openApp("/dialer");
  await person.selectOptions(await screen.findByLabelText("Country"), "GH");
  await person.type(await number(), "0200000142,,12");
  await person.click(within(screen.getByRole("banner")).getAllByRole("link", { name: "Top Up" })[0] as HTMLElement);
  expect(await screen.findByRole("heading", { name: "Top Up" })).toBeVisible();
  await person.click(screen.getAllByRole("link", { name: "Dialer" })[0] as HTMLElement);
  await waitFor(async () => expect(((await number()) as HTMLInputElement).value.replaceAll(" ", "")).toBe("0200000142"));
  expect(screen.getByLabelText("Country")).toHaveValue("GH");
  expect(screen.getByLabelText("Extension")).toHaveValue(",,12");
  expect(service().asked("POST /api/calls/initiate")).toEqual([]);
});

test("a number left in the dialer is not kept by logging out", async () => {
  const person = await openApp("/dialer");
  await person.type(await number(), "0200000142");
  service().on("POST /api/logout", undefined);
  await person.click(within(screen.getByRole("banner")).getByRole("button", { name: "Logout" }));
  await waitFor(() => expect(screen.queryByLabelText("Phone number")).toBeNull());
  expect(localStorage.getItem("carried-number")).toBeNull();
});

test("a number that a customer left in the dialer is dropped for another one", () => {
  carryNumber({ number: "0200000142", country: "GH" }, "kwame");
  expect(readCarriedNumber("grace")).toBeNull();
  carryNumber({ number: "0200000142", country: "GH" }, "grace");
  expect(readCarriedNumber("grace")).toEqual({ number: "0200000142", country: "GH" });
});

test.each([
  ["digits of other scripts and invisible characters", "\u202b٠٢٠ ٠٠٠ ٠١٤٢\u202c", "020 000 0142"],
  ["an extension", "+44 20 7946 0001,,12#", "+44 20 7946 0001,,12#"],
])("a number with %s is carried", (_what, typed, number) => {
  carryNumber({ number: typed, country: "GB" });
  expect(readCarriedNumber("grace")).toEqual({ number, country: "GB" });
});

test("a number in a link takes precedence over one typed before", async () => {
  carryNumber({ number: "0200000142", country: "GH" });
  await openApp(`/dialer?${new URLSearchParams({ number: "+442079460000" })}`);
  await waitFor(async () => expect(await number()).toHaveValue("+44 20 7946 0000"));
});

test.each([
  ["older than two hours", { number: "1", country: "GH", at: Date.now() - 2 * 60 * 60_000 - 1 }],
  ["from the future", { number: "1", country: "GH", at: Date.now() + 60 * 60_000 }],
  ["too long", { number: "1".repeat(101), country: "GH", at: Date.now() }],
  ["with letters", { number: "<b>1</b>", country: "GH", at: Date.now() }],
  ["of another kind", ["1"]],
])("a number %s is dropped", (_what, stored) => {
  localStorage.setItem("carried-number", JSON.stringify(stored));
  expect(readCarriedNumber("grace")).toBeNull();
  expect(localStorage.getItem("carried-number")).toBeNull();
});

test("an invalid country is ignored", () => {
  localStorage.setItem("carried-number", JSON.stringify({ number: "1", country: "nowhere", at: Date.now() }));
  expect(readCarriedNumber("grace")).toEqual({ number: "1", country: null });
});
