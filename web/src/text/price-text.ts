import type { Language } from "@farline/contract/languages.ts";
import { formatDollars, fromDecimalString, MICROS_PER_DOLLAR } from "@farline/domain/money.ts";
import { moneyText } from "@farline/domain/money-text.ts";
import { useTranslation } from "react-i18next";

const MICROS_PER_CENT = 10_000n;

/** Prices on public pages, which pass their own language; `format.ts` uses the app's. */
interface PriceText {
  /** A price per minute, 4 decimals: "$0.0210". */
  rate(ratePerMinute: string): string;
  /** Rate times minutes, to the nearest cent: "$0.21". A nonzero price shows at least "$0.01". */
  estimate(ratePerMinute: string, minutes: number): string;
  /** "$0.00" */
  nothing(decimals: 2 | 4): string;
}

/** @param tag the page's language */
export function priceText(tag: string): PriceText {
  const language = tag as Language;
  const dollars = (micros: bigint, decimals: 2 | 4) => moneyText(formatDollars(micros, decimals), language);
  return {
    rate: (ratePerMinute) => dollars(fromDecimalString(ratePerMinute), 4),
    estimate(ratePerMinute, minutes) {
      const exact = fromDecimalString(ratePerMinute) * BigInt(minutes);
      const cents = (exact + MICROS_PER_CENT / 2n) / MICROS_PER_CENT;
      return dollars((cents === 0n && exact > 0n ? 1n : cents) * MICROS_PER_CENT, 2);
    },
    nothing: (decimals) => dollars(0n, decimals),
  };
}

/** Whole minutes that one dollar buys, rounded down. Null when that is zero, or when the rate is 0. */
export function minutesForOneDollar(ratePerMinute: string): number | null {
  const minutes = minutesForDollars(1, ratePerMinute);
  return minutes === 0 ? null : minutes;
}

/** Whole minutes that some dollars buy, rounded down; 0 when the rate is 0. */
export function minutesForDollars(dollars: number, ratePerMinute: string): number {
  const rate = fromDecimalString(ratePerMinute);
  return rate === 0n ? 0 : Number((BigInt(dollars) * MICROS_PER_DOLLAR) / rate);
}

const MINUTE_SECONDS = 60;

/** How a call's duration is charged, in plain words: "in steps of 6 seconds, at least 30 seconds". */
export function useIncrementText(): (firstSeconds: number, nextSeconds: number) => string {
  const { t } = useTranslation("common");
  return (first, next) => {
    if (first === MINUTE_SECONDS && next === MINUTE_SECONDS) return t("increments.byMinute");
    const steps = next === 1 ? t("increments.bySecond") : t("increments.steps", { count: next });
    return first === next ? steps : t("increments.atLeast", { steps, count: first });
  };
}

/** Whole minutes in words, for public pages: "47 min". `formatMinutes` uses the app's language. */
export function useMinutesText(): (minutes: number) => string {
  const { t } = useTranslation("common");
  return (minutes) => t("duration.minutes", { count: minutes, formatted: String(minutes) });
}
