import type { PriceHistory } from "@farline/contract/public-pages.ts";
import rates from "@farline/texts/en/rates.json";
import { cleanup, render, screen, within } from "@testing-library/react";
import { I18nextProvider } from "react-i18next";
import { afterEach, expect, test } from "vitest";
import { PriceHistorySection } from "../features/rates/price-history.tsx";
import { createTexts } from "./public-texts.ts";

afterEach(cleanup);

function open(lines: PriceHistory["lines"]): void {
  render(
    <I18nextProvider i18n={createTexts("en", { en: { rates } })}>
      <PriceHistorySection history={{ until: "2026-11-26T12:00:00.000Z", lines }} />
    </I18nextProvider>,
  );
}
const step = (day: string, lowest: string, highest = lowest) => ({ since: `${day}T00:00:00.000Z`, price: { lowest, highest } });

test("prices that changed are drawn, and listed in a table, the latest first", () => {
  const gap = { since: "2026-02-01T00:00:00.000Z", price: null };
  open([{ numberType: "mobile", steps: [step("2026-01-01", "0.3000", "0.3200"), gap, step("2026-03-01", "0.2800")] }]);
  const figure = screen.getByRole("figure", { name: "Mobile: price per minute" });
  expect(figure.querySelector("path")).toHaveAttribute("d", expect.stringMatching(/^M0 /));
  const rows = within(figure).getAllByRole("row", { hidden: true });
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    "SincePrice per minute",
    "1 March 2026$0.2800",
    "1 February 2026Not sold",
    "1 January 2026$0.3000 to $0.3200",
  ]);
});

test("a price that never changed is a sentence", () => {
  open([{ numberType: "fixed_or_mobile", steps: [step("2026-01-01", "0.0100")] }]);
  expect(screen.getByText("Mobile and landline: the price has not changed since 1 January 2026.")).toBeInTheDocument();
  expect(screen.queryByRole("figure")).not.toBeInTheDocument();
});

test("a country without ordinary numbers has no section", () => {
  open([]);
  expect(screen.queryByRole("heading")).not.toBeInTheDocument();
});
