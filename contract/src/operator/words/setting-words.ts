import { type BusinessSettings, SETTINGS } from "@farline/domain/business/business-settings.ts";
import type { TopUpLimits } from "@farline/domain/business/top-up-limits.ts";
import { innerWordFor, tierWords, wordFor, type WordsOf } from "./words.ts";

const markUpWords: WordsOf<keyof BusinessSettings["markUp"]> = {
  percent: "Percentage added to carrier prices",
  minMarginMicros: "Minimum margin per minute",
  minPriceMicros: "Minimum price per minute",
};
const carrierCostWords: WordsOf<keyof BusinessSettings["carrierCosts"]> = {
  spendPerDayMicros: "Maximum per day",
  hourMicros: "For one prefix or country in an hour, before a sudden rise pauses it",
};
const callLimitWords: WordsOf<keyof BusinessSettings["callLimits"]["new"]> = {
  liveCalls: "At the same time",
  callsPerMinute: "In a minute",
  callsPerHour: "In an hour",
  callsPerDay: "In a day",
  sameNumberPerHour: "To the same number in an hour",
  numbersPerDay: "To different numbers in a day",
  countriesPerDay: "To different countries in a day",
  nearNumbersPerHour: "To different numbers of one block of 1,000 in an hour, before they stop for a day",
  shortCallsPerHour: "Answered and shorter than 10 seconds in an hour, before they stop for an hour",
  spendPerDayMicros: "Spending per day",
  spendAboveClassAMicros: "Spending per day on expensive numbers",
  spendAboveClassBMicros: "Spending per day on the most expensive numbers",
  freshCredit: "Part of a payment for expensive numbers in its first day",
};
const topUpLimitWords: WordsOf<Exclude<keyof TopUpLimits, "threeDSecure">> = {
  perDayMicros: "In a day",
  perWeekMicros: "In a week",
  checkoutsPerHour: "Started in an hour",
  checkoutsPerDay: "Started in a day",
  declinesPerHour: "Declined in an hour, before cards are refused for a day",
  declinedCardsPerDay: "Different cards declined in a day, before cards are refused for a day",
};

const chapters: Readonly<Record<keyof BusinessSettings, readonly [group: string, words: Readonly<Record<string, string>>]>> = {
  markUp: ["Mark-up", markUpWords],
  carrierCosts: ["Carrier costs", carrierCostWords],
  callLimits: ["Calls", callLimitWords],
  topUpLimits: ["Top-ups", topUpLimitWords],
};

/** What a setting limits, and how: "Calls of new customers", "In a day". */
interface SettingWords {
  readonly group: string;
  readonly words: string;
}

/** A setting in words; null for a name that this release does not have. */
export function settingWords(name: string): SettingWords | null {
  const [chapter, ...place] = SETTINGS.get(name)?.path ?? [];
  if (chapter === undefined) return null;
  const [group, words] = chapters[chapter as keyof BusinessSettings];
  const [first = "", second = ""] = place;
  return Object.hasOwn(tierWords, first)
    ? { group: `${group} of ${innerWordFor(tierWords, first)} customers`, words: wordFor(words, second) }
    : { group, words: wordFor(words, first) };
}

/** The same in one line: "Calls of new customers: in a day". */
export function settingTitle(name: string): string {
  const found = settingWords(name);
  return found === null ? name : `${found.group}: ${found.words.charAt(0).toLowerCase()}${found.words.slice(1)}`;
}
