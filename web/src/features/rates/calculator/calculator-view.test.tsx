import common from "@farline/texts/en/common.json";
import rates from "@farline/texts/en/rates.json";
import french from "@farline/texts/fr/rates.json";
import { cleanup, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { I18nextProvider } from "react-i18next";
import { afterEach, expect, test, vi } from "vitest";
import { createTexts } from "../../../public/public-texts.ts";
import { Calculator } from "./calculator.tsx";

const countries = [
  { code: "GH", name: "Ghana", dialCode: "233", usualRate: "0.3100" },
  { code: "US", name: "United States", dialCode: "1", usualRate: "0.0100" },
];

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** The calculator, while the service answers each look-up with `body`. */
function open(status: number, body: object, language = "en"): void {
  vi.stubGlobal("fetch", async () => Response.json(body, { status }));
  render(
    <I18nextProvider i18n={createTexts(language, { en: { rates, common }, fr: { rates: french, common } })}>
      <Calculator countries={countries} callLink={({ children }) => <a href="/register">{children}</a>} />
    </I18nextProvider>,
  );
}

test("the estimate is a dash until there is a price", async () => {
  open(404, {});
  expect(screen.getByText("–")).toBeVisible();
  await userEvent.setup().type(screen.getByLabelText(/^Phone number/), "+233");
  expect(screen.getByText("$3.10")).toBeVisible();
  expect(screen.getByLabelText("Country")).toHaveValue("Ghana");
});

test("the numbers that may be meant are written with spaces", async () => {
  const choices = [
    { number: "+16462345678", country_code: "US", country_name: "United States" },
    { number: "+6462345678", country_code: "NZ", country_name: "New Zealand" },
  ];
  open(422, { message: "Which number?", code: "validation_failed", reason: "number_ambiguous", choices });
  await userEvent.setup().type(screen.getByLabelText(/^Phone number/), "6462345678");
  expect(await screen.findByRole("button", { name: /\+64 6 234 5678/ })).toBeVisible();
});

test("the destination of a number is written in the reader's language", async () => {
  const rate = {
    ...{ number: "+233200000142", country_code: "GH", country_name: "Ghana", number_type: "mobile", prefix: "23320" },
    ...{ description: "Ghana Mobile Vodafone", rate_per_minute: "0.1420", first_interval_s: 1, next_interval_s: 1 },
    ...{ connected: true, exact: true },
  };
  open(200, { rate }, "fr");
  await userEvent.setup().type(screen.getByLabelText(/^Numéro de téléphone/), "+233200000142");
  expect(await screen.findByText(/Mobile, Ghana/)).toBeVisible();
});
