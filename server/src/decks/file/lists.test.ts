import { readdirSync } from "node:fs";
import { join } from "node:path";
import { MARK_UP } from "@farline/domain/business/mark-up.ts";
import { rateToDecimalString } from "@farline/domain/money.ts";
import { beforeAll, expect, test } from "vitest";
import { buildDeck, joinCallingCodes } from "../build-deck.ts";
import { numberingPlan, type NumberingPlan } from "../plan/numbering-plan.ts";
import { BadRows } from "./bad-rows.ts";
import { readDeckFile } from "./read-deck-file.ts";

const FOLDER = join(import.meta.dirname, "lists");
/** When the lists are imported, to be active at once. */
const AT = new Date("2026-12-01T00:00:00Z");

/**
 * Price lists in the shapes of carriers and switches, each a file in a folder of `lists`, and what importing it does: a line for each row ("2: 44
 * 0.0053 1/1"), or why it stops. To add one, put the file there and an entry here: leave it empty, run the test, and check each line that
 * it prints against the file by hand.
 */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  "languages/indonesian": [
    "3: 62 0.0900 60/60",
    "4: 628 closed",
    "5: 62868 closed",
    "line 1, notice_unclear: DAFTAR HARGA VOIP",
    "line 6, flag_unknown: Indonesia Papua | 62967 | 0,1100 | 60/60 | 2026-11-01 | Menunggu",
    "line 7, conditional: Indonesia biaya tambahan | 6221 | 0,0100 | 60/60 | 2026-11-01 | Aktif",
  ],
  "languages/vietnamese": [
    "2: 84 0.0450 60/60",
    "3: 849 closed",
    "4: 8424 closed",
    "line 5, conditional: Việt Nam phụ phí | 8428 | 0.0100 | 60/60 | Hoạt động",
  ],
  "languages/polish": [
    "3: 48 0.0060 1/1",
    "4: 485 0.0190 1/1",
    "5: 4850 closed",
    "line 1, notice_unclear: Cennik hurtowy",
    "line 6, conditional: Polska dopłata | 4822 | 0,0200 | 1/1 | nie",
    "line 7, flag_unknown: Polska specjalne | 4870 | 0,0900 | 1/1 | częściowo",
  ],
  "languages/turkish-capitals": ["2: 90 0.0300 60/60", "3: 905 closed", "4: 90392 closed"],
  "languages/russian-with-units": [
    "2: 77 0.0900 1/1",
    "3: 7701 closed",
    "line 4, conditional: Казахстан ночью | 7702 | 0,0500 | 1/1 | 01.12.2026 | нет",
  ],
  "languages/chinese-with-units": [
    "2: 86 0.0150 60/60",
    "3: 8613 closed",
    "line 4, conditional: 中国联通 附加费 | 8618 | 0.0050 | 60/60 | 2026-12-01 | 否",
  ],
  "prices-and-notices/words-as-prices": [
    "2: 53 0.7600 60/60",
    "3: 535 closed",
    "4: 98 closed",
    "12: 254 closed",
    "15: 252 1.2340 60/60",
    "line 5, price_form: Iran Mobile | 989 | TBA | 60/60 | ",
    "line 6, price_form: Chad | 235 | call us | 60/60 | ",
    "line 7, price_form: Niger | 227 | -1 | 60/60 | ",
    "line 8, price_too_high: Mali | 223 | 99.99 | 60/60 | ",
    "line 9, price_form: Togo | 228 | - | 60/60 | ",
    "line 10, price_zero: Benin | 229 | 0 | 60/60 | ",
    "line 11, price_form: Ghana | 233 | $ - | 60/60 | ",
    "line 13, price_form: Oman | 968 | see note | 60/60 | ",
    "line 14, price_form: Guinea | 224 | 0.45* | 60/60 | ",
    "line 16, price_form: Gambia | 220 | 1.234,50 | 60/60 | ",
  ],
  "prices-and-notices/peak-and-off-peak": [
    "2: 61 0.0200 1/1",
    "3: 614 0.0500 1/1",
    "line 4, conditional: 6189 | Australia Perth night | 0.0100 |  |  | 1/1",
    'column "Off-Peak", line 2: 0.0150',
    'column "Weekend Rate", line 2: 0.0150',
  ],
  "prices-and-notices/two-currencies": [
    'refused: The columns "Rate USD" and "Rate EUR" have the same meaning. Say which counts, for example with --column "Rate EUR=ignore".',
  ],
  "prices-and-notices/currency-by-cell": [
    "2: 34 0.0060 1/1",
    "6: 356 0.0900 1/1",
    "line 3, currency: Spain Mobile | 346 | 0.0190 | EUR | 1/1",
    "line 4, currency: Portugal | 351 | 0.0060 € | USD | 1/1",
    "line 5, currency: Portugal Mobile | 3519 | £0.0190 |  | 1/1",
    "line 7, price_form: Malta Mobile | 3567 | 0.0900 USDT | USD | 1/1",
    "line 8, currency: Cyprus | 357 | 0.0900 | USD/EUR | 1/1",
  ],
  "prices-and-notices/labelled-notices": [
    "8: 49 0.0080 1/1",
    "line 2, notice_unclear: Attention: all rates double on Monday",
    "line 3, notice_unclear: Notice: Germany has moved to another list",
    "line 4, notice_unclear: Reference: add ten to each price",
    "line 6, notice_unclear: List: mobile numbers cost twice as much",
    "line 9, notice_unclear: * Ported numbers follow the recipient network",
    "line 10, prefix_form: (1) France from EU only",
  ],
  "prices-and-notices/increments-of-all-kinds": [
    "2: 33 0.0060 60/60",
    "3: 34 0.0060 1/1",
    "5: 49 0.0060 6/6",
    "6: 351 0.0060 60/60",
    "8: 353 0.0060 1/1",
    "9: 354 0.0060 30/6",
    "line 4, increments_form: 39 | Italy | 0.0060 | 60/1/1",
    "line 7, increments_form: 352 | Luxembourg | 0.0060 | 1 min",
    "line 10, increments_form: 355 | Albania | 0.0060 | 0/1",
    "line 11, increments_form: 356 | Malta | 0.0060 | 60,60",
    "line 12, increments_form: 357 | Cyprus | 0.0060 | 60/60 (min 120)",
    "line 13, increments_form: 358 | Finland | 0.0060 | 7200/1",
  ],
  "codes-and-dates/codes-shortened-and-signed": [
    "4: 4420 0.0060 1/1",
    "5: 44161 0.0060 1/1",
    "6: 44121 0.0060 1/1",
    "11: 447700 0.0190 1/1",
    "12: 44771 0.0190 1/1",
    "15: 4930 0.0060 1/1",
    "line 2, prefix_scientific: 4.4E+01 | United Kingdom | 0.0060 | 1/1",
    "line 3, prefix_scientific: 44.0 | United Kingdom | 0.0060 | 1/1",
    "line 7, prefix_form: 00 44 131 | United Kingdom Edinburgh | 0.0060 | 1/1",
    "line 8, prefix_form: (44)151 | United Kingdom Liverpool | 0.0060 | 1/1",
    "line 9, prefix_form: 44* | United Kingdom | 0.0060 | 1/1",
    "line 10, prefix_form: 447x | United Kingdom Mobile | 0.0190 | 1/1",
    "line 13, prefix_form: 44 (772) | United Kingdom Mobile | 0.0190 | 1/1",
    "line 14, prefix_form: ４４ | United Kingdom | 0.0060 | 1/1",
    "line 16, prefix_unclear: 351-353 | Portugal | 0.0060 | 1/1",
  ],
  "codes-and-dates/dates-by-row": [
    "2: 33 0.0060 1/1",
    "3: 33 0.0090 1/1",
    "line 4, date_form: w.e.f. 1 Dec 2026",
    "line 5, date_form: TBA",
    "line 6, date_form: 2026-11-01 to 2026-11-30",
    "line 7, date_far: 2569-12-01",
    "line 8, date_form: 31/11/2026",
    "line 9, date_form: 1 December 2026 00:00 CET",
  ],
  "codes-and-dates/complete-codes": ["2: 4420 0.0053 1/1", "3: 44161 0.0053 1/1", "line 4, calling_code_missing: 7700"],
  "codes-and-dates/letters-for-countries": [
    "2: 447 0.0127 1/1",
    "line 3, iso_form: Landline | QQ | 49 | 0.0080 | 1/1",
    "line 4, country_differs: 33 DE Landline",
  ],
  "systems/a2billing-without-header": [
    "refused: No row names the columns. There must be one for the prefix and one for the price, such as `Prefix` and `Rate`.",
  ],
  "prices-and-notices/additive-rows": [
    "2: 43 0.0140 1/1",
    "5: 43664 closed",
    "line 3, conditional: Austria Surcharge | 43820 | 0.0500 | 1/1",
    "line 4, conditional: Austria (additive) | 43821 | 0.0100 | 1/1",
  ],
  "systems/astpp": ["2: 91 0.0190 60/60", "3: 9198 closed"],
  "systems/astpp-connect-cost": [
    "3: 9198 0.0189 60/60",
    "line 2, price_per_call: 91 | India | 0.05000 | 0 | 0.01900 | 60 | 60",
    'column "Included Seconds", line 3: 30',
  ],
  "systems/bandwidth": ["2: 5511 0.0350 30/6", "4: 56 0.0120 30/6", "line 3, prefix_twice: 5511, also in line 2"],
  "systems/bics-like": ["2: 32 0.0090 1/1", "3: 324 other_caller_numbers", "4: 324 0.1900 1/1"],
  "prices-and-notices/cents": [
    'refused: Line 1 names another currency or a part of the dollar: "Destination Code Rate (USc/min) Billing". Prices must be in US dollars; if they are, remove the line.',
  ],
  "languages/chinese": [
    "2: 86 0.0150 60/60",
    "3: 8613 closed",
    "line 4, flag_unknown: 8615 | China Mobile | 0.0150 | 60/60 | 测试",
  ],
  "codes-and-dates/codes-in-columns": [
    "2: 441 442 443 0.0053 1/1",
    "3: 4475 4477 0.0127 1/1",
    "line 4, prefix_unclear: UK and Germany | 44 | 49 |  | 0.0100 | 1/1",
  ],
  "codes-and-dates/codes-without-header": [
    "2: 44 0.0053 1/1",
    "3: 4475 0.0127 1/1",
    'column "column 5", line 3: 4477',
    'column "column 6", line 3: 4479',
  ],
  "prices-and-notices/conditions-by-time": [
    'refused: No row names the columns. There must be one for the prefix and one for the price, such as `Prefix` and `Rate`. If line 1 does ("Destination", "Code", "Peak Rate", "Off-Peak Rate", "Billing"), say what they mean: --column "Destination=prefix" and so on.',
  ],
  "codes-and-dates/ends": ["2: 33 0.0060 1/1", 'column "End Date", line 2: 2026-12-15'],
  "prices-and-notices/flags-named-block": ["2: 33 0.0060 1/1", "3: 49 0.0080 1/1", 'column "Block", line 2: 1'],
  "languages/french": [
    "2: 33 0.0060 1/1",
    "3: 336 closed",
    "4: 337 closed",
    "line 5, flag_unknown: 3389 | France Special | 0,0900 | 1/1 | En attente",
  ],
  "systems/fusionpbx": [
    'refused: No row names the columns. There must be one for the prefix and one for the price, such as `Prefix` and `Rate`. If line 1 does ("digits", "rate", "carrier", "currency"), say what they mean: --column "digits=prefix" and so on.',
  ],
  "languages/german": [
    "4: 49 0.0080 60/1",
    "5: 4915 0.0190 60/1",
    "6: 4916 closed",
    "line 7, flag_unknown: 4917 | Germany Mobile | 0,0190 | 60/1 | 01.12.2026 | vielleicht",
  ],
  "languages/html": [
    "refused: No row names the columns. There must be one for the prefix and one for the price, such as `Prefix` and `Rate`.",
  ],
  "systems/idt-like": [
    "7: 52 0.0050 60/60",
    "8: 5255 5256 0.0040 60/60",
    "line 3, date_unclear: 12/01/2026",
    "line 9, prefix_zero: 52081",
  ],
  "prices-and-notices/increments-twice": [
    "2: 33 0.0060 60/1",
    "line 3, increments_unclear: Germany | 49 | 0.0080 | 1/1 | 60 | 60",
  ],
  "systems/ivozprovider": [
    "line 2, increments_missing: Spain | +34 | 0.0060 | 0 | 60",
    "line 3, price_per_call: Spain Mobile | +346 | 0.0190 | 0.02 | 60",
    'column "Period", line 2: 60',
  ],
  "prices-and-notices/jan-increments": ["3: 49 0.0080 60/1", "line 2, increments_form: France | 33 | 0.0060 | 01-Jan"],
  "systems/jerasoft": ["2: 48 0.0080 60/1", "3: 4850 closed", "4: 4851 closed"],
  "systems/kazoo": [
    "2: 49 0.0080 60/60",
    "line 3, conditional: 4915 | DE | Germany Mobile | 0.0190 | 60 | 60 | 0.0 | inbound | 10",
  ],
  "systems/magnusbilling": ["2: 5511 0.0090 30/6", "line 3, price_per_call: 5521 | Brazil Rio | 0.0110 | 30 | 6 |  | 0.02 | 0"],
  "codes-and-dates/merged-code": [
    "2: 4420 0.0053 1/1",
    "4: 4930 0.0080 1/1",
    "line 3, calling_code_missing: 7700",
    "line 5, calling_code_missing: 151",
  ],
  "codes-and-dates/merged-country": ["2: 4420 0.0053 1/1", "3: 447700 0.0127 1/1", "4: 4930 0.0080 1/1", "5: 49151 0.0190 1/1"],
  "codes-and-dates/merged-dates": ["2: 33 0.0060 1/1 not yet", "line 3, date_missing: 336"],
  "prices-and-notices/messages": ["2: 33 0.0060 1/1", "line 3, conditional: France | 336 | SMS | 0.0060 | 1/1"],
  "prices-and-notices/notice-of-a-fee": [
    "6: 33 0.0060 1/1",
    "line 2, notice_unclear: A connection fee of USD 0.02 applies to all calls.",
    "line 3, notice_unclear: Rates apply to EEA caller numbers only",
    "line 4, notice_unclear: Calls are billed 60/60",
  ],
  "prices-and-notices/notice-of-a-later-start": ["4: 33 0.0060 1/1", "line 2, list_later: 01-Jan-27"],
  "prices-and-notices/notice-of-a-thousand-minutes": [
    'refused: Line 3 names another unit than the minute: "Rates are per 1000 minutes". Prices must be per minute; if they are, remove the line.',
  ],
  "prices-and-notices/notice-of-seconds": [
    'refused: Line 1 names another unit than the minute: "All prices in USD per second". Prices must be per minute; if they are, remove the line.',
  ],
  "prices-and-notices/old-rates-below": [
    'refused: Line 3 is another header: "Destination | Code | Old Rate | Billing". The prices below it may mean something else, so it cannot be left out. Save that part as a file of its own; if it is no header, remove the line.',
  ],
  "languages/pipes-and-totals": ["3: 81 0.0200 1/1", "5: 8170 8180 8190 0.0900 1/1", "6: 81120 closed"],
  "systems/portaone": ["2: 233 0.1900 1/1", "3: 23324 0.2100 60/60", "4: 23326 closed", "5: 23327 0.2500 1/1 not yet"],
  "systems/portaone-flags": [
    "2: 53 closed",
    "3: 535 closed",
    "4: 233 0.1900 1/1",
    "line 5, flag_unknown: Ghana | Ghana Mobile | 23324 | ASAP | 2 |  | 0,2100 | 0,2100 | 1 | 1",
  ],
  "prices-and-notices/price-is-closed": [
    "2: 98 0.1800 60/60",
    "3: 989 closed",
    "4: 9894 closed",
    "line 5, price_form: Iran Other | 9893 | on request | 60/60",
  ],
  "prices-and-notices/prices-twice": ["2: 33 0.0060 1/1", "line 3, two_prices: Germany | 49 | 0.0080 | 0.0200 | 0.0080 | 1/1"],
  "prices-and-notices/reversed-increments": ["3: 521 0.0050 60/1", "line 2, increments_unclear: Mexico | 52 | 0.0050 | 1 | 60"],
  "languages/russian": ["4: 7495 0.0300 1/1", "5: 7812 closed", "line 6, flag_unknown: 7843 | Russia | 0,2500 | 1/1 | ожидание"],
  "codes-and-dates/serials-and-hyphens": ["2: 9320 0.2700 60/60", "3: 9370 9379 0.3100 60/60", "4: 202 0.0900 60/60 not yet"],
  "prices-and-notices/several-sheets": [
    'refused: Line 5 is another header: "Zone | Prefix | New code". The prices below it may mean something else, so it cannot be left out. Save that part as a file of its own; if it is no header, remove the line.',
  ],
  "codes-and-dates/short-years": [
    "2: 33 0.0060 1/1",
    "3: 336 0.0240 1/1 not yet",
    "4: 49 0.0080 1/1",
    "5: 34 0.0060 1/1 not yet",
  ],
  "codes-and-dates/short-years-unclear": ["line 2, date_unclear: 11/12/26", "line 3, date_unclear: 26/12/25"],
  "systems/sippy": [
    "2: 34 0.0060 1/1",
    "3: 346 0.0190 1/1",
    "4: 347 closed",
    "line 5, flag_unknown: SA | 3490 | Spain | Spain Special | 1 | 1 | 0.4000 | 0.4000 | 0 | 2026-11-01 | ",
    'column "Expiration Date", line 3: 2027-06-30',
  ],
  "languages/spanish": ["2: 51 0.0090 30/6", "3: 519 closed", "4: 5164 0.1500 30/6", 'column "Recargo", line 2: 0,00, 0,05'],
  "systems/telnyx": [
    "2: 352621 352628 0.0210 60/1",
    "line 3, price_per_call: LU | Luxembourg |  | 35290 | Trunking Outbound Minute - Luxembourg - NGN Service 1 - Local | 60 | 1 ",
    "line 4, conditional: LU | Luxembourg |  | 352261234 | Trunking Outbound Minute - Luxembourg | 60 | 1 | 0.0010 |  | Yes",
  ],
  "codes-and-dates/thousands": [
    "line 2, prefix_unclear: Kazakhstan | 7,701 | 0.0900 | 1/1",
    "line 3, prefix_unclear: Kazakhstan | 7,702 | 0.0900 | 1/1",
    "line 4, prefix_unclear: United Kingdom | 447,700 | 0.0127 | 1/1",
    "line 5, prefix_scientific: United Kingdom | 4477.0 | 0.0127 | 1/1",
    "line 6, prefix_scientific: United Kingdom | 4.47E+11 | 0.0127 | 1/1",
  ],
  "codes-and-dates/trunk-prefix": ["2: 44 0.0053 1/1", "4: 3906 0.0070 1/1", "line 3, prefix_zero: 44020"],
  "languages/turkish-arabic": ["2: 90 0.0300 60/60", "3: 9053 closed", "4: 971 closed"],
  "systems/twilio-regions": [
    "3: 336 337 0.0350 1/1",
    "line 2, conditional: FR | France | Trunking Outbound Minute - France - EEA Origin | 0.0060 |  | 33 | 1/1",
  ],
  "systems/twilio-trunking": ["2: 614 615 0.0650 1/1", "3: 614 615 other_caller_numbers", "4: 33 0.0099 1/1"],
  "prices-and-notices/two-rows-of-headers": [
    'refused: Line 1 names another unit than the minute: "Destinations Rates (USD per second)". Prices must be per minute; if they are, remove the line.',
  ],
  "prices-and-notices/unit-column": ["2: 33 0.0060 1/1", "line 3, unit: Germany | 49 | 0.0001 | sec | 1/1"],
  "systems/us-jurisdictions": [
    'refused: No row names the columns. There must be one for the prefix and one for the price, such as `Prefix` and `Rate`. If line 1 does ("code", "duration", "increment", "interrate", "intrarate", "ijrate", "effective_date"), say what they mean: --column "code=prefix" and so on.',
  ],
  "languages/utf-16": ["refused: The file is not text in UTF-8. Save it as CSV (UTF-8)."],
  "languages/windows-1252": ["refused: Line 2 has letters that are not in UTF-8. Save the file as CSV (UTF-8)."],
  "systems/yeti": [
    "2: 40 0.0090 60/60",
    "3: 407 closed",
    "line 4, two_prices: 4021 | true | 60 | 60 | 0.0100 | 0.0090 | 0 | 2026-11-01 | 2031-01-01",
    'column "Valid Till", line 4: 2031-01-01',
  ],
};

let plan: NumberingPlan;
beforeAll(async () => {
  plan = await numberingPlan();
});

test.each(Object.entries(LISTS))("%s", async (name, expected) => {
  expect(await outcomeOf(`${name}.csv`)).toEqual(expected);
});

test("each list in the folder has its outcome here", () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".csv"))
    .map((name) => name.replace(".csv", ""));
  expect(files.toSorted()).toEqual(Object.keys(LISTS).toSorted());
});

async function outcomeOf(name: string): Promise<string[]> {
  try {
    const options = { increments: null, skipLines: new Set<number>(), columns: new Map(), earlier: null };
    const file = await readDeckFile(join(FOLDER, name), options);
    const rows = joinCallingCodes([...file.rows], new BadRows());
    const built = buildDeck(file.rows, { at: AT, dates: null, starts: file.starts, markUp: MARK_UP }, plan, file.bad);
    const sold = new Set([...built.rows].map(({ prefix }) => prefix));
    const unusable = new Set(file.bad.named.map(({ line }) => line));
    const lines = rows
      .filter(({ line }) => !unusable.has(line))
      .map(({ line, prefixes, offer: { cost, skip } }) => {
        if (cost === null) return `${line}: ${prefixes.join(" ")} ${skip}`;
        const price = `${rateToDecimalString(cost.ratePerMinuteMicros)} ${cost.firstIntervalSeconds}/${cost.nextIntervalSeconds}`;
        return `${line}: ${prefixes.join(" ")} ${price}${prefixes.every((prefix) => sold.has(prefix)) ? "" : " not yet"}`;
      });
    return [
      ...lines,
      ...file.bad.named.map(({ line, problem, text }) => `line ${line}, ${problem}: ${text}`),
      ...file.doubtful.map((column) => `column "${column.name}", line ${column.line}: ${column.text}`),
    ];
  } catch (error) {
    return [`refused: ${error instanceof Error ? error.message : String(error)}`];
  }
}
