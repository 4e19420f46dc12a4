import { languages } from "@farline/domain/languages.ts";
import { expect, test } from "vitest";
import { isPrintable } from "./pdf-fonts.ts";
import { pdfMoney } from "./pdf-money.ts";

test("amounts are formatted for the document's language", () => {
  expect(pdfMoney(1_234_560_000n, "en")).toBe("$1,234.56");
  expect(pdfMoney(1_234_560_000n, "fr")).toBe("1\u00a0234,56\u00a0$");
  expect(pdfMoney(-12_300n, "es", { decimals: 4, signed: true })).toBe("−$0.0123");
  expect(pdfMoney(1_000_000n, "ar", { signed: true })).toBe("+1.00\u00a0US$");
});

test.each(languages)("the fonts have all characters of amounts in %s", async (language) => {
  expect(await isPrintable(pdfMoney(-1_234_567_890_000n, language, { decimals: 6 }))).toBe(true);
});
