import { cleanup, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test } from "vitest";
import { I18nextProvider } from "react-i18next";
import landing from "@farline/texts/en/landing.json";
import pages from "@farline/texts/en/public.json";
import type { PadCountry } from "./landing-rates.ts";
import { createTexts } from "../../public/public-texts.ts";
import { DemoDialPad } from "./demo-dial-pad.tsx";

const countries: readonly PadCountry[] = [
  ["CA", "Canada", "1", "0.0150", "mobile"],
  ["GG", "Guernsey", "44", "0.3000", "mobile"],
  ["GB", "United Kingdom", "44", "0.0180", "mobile"],
  ["US", "United States", "1", "0.0100", "mobile"],
];

afterEach(cleanup);
beforeEach(() => {
  render(
    <I18nextProvider i18n={createTexts("en", { en: { landing, public: pages } })}>
      <DemoDialPad countries={countries} firstCall="0.25" />
    </I18nextProvider>,
  );
});

const hiddenRate = () => screen.getByText(/^\$/, { selector: "p > span > span" }).closest("[class*=nowhere]");
const number = () => screen.getByLabelText("Phone number");

test("a number with a country code shows its country and rate from the code on", async () => {
  const person = userEvent.setup();
  expect(hiddenRate()).toBeNull();
  await person.type(number(), "+4");
  expect(hiddenRate()).not.toBeNull();
  await person.type(number(), "4");
  expect(screen.getByText(/^\$0\.0180/)).toBeVisible();
  expect(hiddenRate()).toBeNull();
  expect(screen.getByLabelText("Country")).toHaveValue("GB");
  expect(screen.getByRole("form")).toHaveAttribute("data-carry-country", "GB");
});

test("a code that no country has shows no rate", async () => {
  await userEvent.setup().type(number(), "+999");
  expect(hiddenRate()).not.toBeNull();
});

test.each([
  ["٠١٢", "012"],
  ["१२", "12"],
])("digits of other scripts can be typed: %s", async (typed, digits) => {
  await userEvent.setup().type(number(), typed);
  expect(number()).toHaveValue(digits);
});
