import { languages } from "@farline/domain/languages.ts";
import { cleanup, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { I18nextProvider } from "react-i18next";
import { afterEach, expect, test } from "vitest";
import { VisitorCalculator } from "../features/rates/calculator/calculator.tsx";
import { createTexts } from "./public-texts.ts";

const catalogues = import.meta.glob<Record<string, unknown>>("../../../texts/*/{common,rates}.json", {
  eager: true,
  import: "default",
});
const read = (language: string, name: string) => catalogues[`../../../texts/${language}/${name}.json`] ?? {};

afterEach(cleanup);

test.each(languages)("in %s, the sum names the unit of the price once", async (language) => {
  const texts = createTexts(language, { [language]: { common: read(language, "common"), rates: read(language, "rates") } });
  render(
    <I18nextProvider i18n={texts}>
      <VisitorCalculator countries={[["GH", "Ghana", "233", "0.4480"]]} />
    </I18nextProvider>,
  );
  await userEvent.setup().type(screen.getByRole("combobox"), "Ghana{Enter}");
  const readSum = () => document.querySelector("[aria-live] .fig")?.textContent ?? "";
  await expect.poll(readSum).toMatch(/0[.,]4480/);
  const sum = readSum();
  expect(sum.match(/\//g)).toHaveLength(1);
});
