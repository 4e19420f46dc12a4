import { writing } from "@farline/domain/languages.ts";
import { moneyText } from "@farline/domain/money-text.ts";
import {
  commonDecimals,
  formatDollars,
  fromDecimalString,
  rateToDecimalString,
  toDecimalString,
  upToCents,
} from "@farline/domain/money.ts";
import { readerLocale } from "../browser/reader-locale.ts";
import { currentLanguage, leftToRight } from "./i18n.ts";

/** An exact signed amount: "−$0.596401", "+$0.5964". */
export function formatSignedExact(dollars: string): string {
  return moneyText(rateToDecimalString(fromDecimalString(dollars)), currentLanguage(), { signed: true });
}

/** Amounts shown together, all with as many decimals as the most exact one needs: 2, 4 or 6. */
export function formatTogether(sums: readonly string[], signed: readonly boolean[] = []): readonly string[] {
  const amounts = sums.map(fromDecimalString);
  const decimals = commonDecimals(amounts);
  return amounts.map((micros, index) =>
    moneyText(formatDollars(micros, decimals), currentLanguage(), { signed: signed[index] === true }),
  );
}

/** What somebody owes, rounded up to a cent as in the service's refusals: "$3.21" for 3.200001. */
export function formatOwed(dollars: string): string {
  return moneyText(toDecimalString(upToCents(fromDecimalString(dollars))), currentLanguage());
}

/** A decimal amount in another currency, as the payer saw it: "€18.40". @param currency ISO 4217 */
export function formatForeign({ amount, currency }: { readonly amount: string; readonly currency: string }): string {
  // Not rounded, also where the browser knows the currency without decimals.
  const exact = { style: "currency", currency, numberingSystem: "latn", maximumFractionDigits: 3 } as const;
  return leftToRight(new Intl.NumberFormat(writing[currentLanguage()].figures, exact).format(amount as `${number}`));
}

/** The instant on the reader's clock, to the thousandth of a second: "7:37:02.417 PM". */
export function formatInstant(instant: string): string {
  const options = { hour: "numeric", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 } as const;
  const format = new Intl.DateTimeFormat(readerLocale(currentLanguage()), { ...options, numberingSystem: "latn" });
  return format.format(new Date(instant));
}

/** Milliseconds as seconds, with the decimals that they need: "252.51". */
export function formatSeconds(milliseconds: number): string {
  const options = { maximumFractionDigits: 3, numberingSystem: "latn" };
  return new Intl.NumberFormat(writing[currentLanguage()].figures, options).format(milliseconds / 1000);
}

/** A measured value with one decimal: "4.3". */
export function formatDecimal(value: number): string {
  const options = { minimumFractionDigits: 1, maximumFractionDigits: 1, numberingSystem: "latn" };
  return new Intl.NumberFormat(writing[currentLanguage()].figures, options).format(value);
}
