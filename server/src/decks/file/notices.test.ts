import { describe, expect, test } from "vitest";
import { currencyIn } from "./currencies.ts";
import { isMinute, isOtherUnit, namesOtherUnit } from "./deck-units.ts";
import { readNotice } from "./notices.ts";
import { isClosedPrice, nameCondition, readChange, readFlag, readOpenFlag, readStatus } from "./status-words.ts";

describe("a notice", () => {
  test.each([
    ...["Example Carrier Ltd", "A-Z Price List", "All prices in USD per minute", "Page 1 of 3", "Customer: Farline Inc", "sep=;"],
    ...[
      "Europe",
      "United Kingdom",
      "www.example.com | rates@example.com",
      "Effective immediately",
      "Thank you for choosing Acme",
    ],
    ...[
      "Preisliste",
      "Цены в долларах США за минуту",
      "Prices in USD/min",
      "Version: 2026-12",
      "Ref no: A-17_b",
      "Contact: Grace Hopper",
    ],
  ])("%s says nothing about prices", (text) => {
    expect(readNotice(text)).toBe("harmless");
  });

  test.each([
    ["Rates in USD, valid from 1 December 2026", "1 December 2026"],
    ["EFFECTIVE DATE | 2027-01-01", "2027-01-01"],
    ["Effective: 01-Jan-27", "01-Jan-27"],
    ["gültig ab 01.12.2026", "01.12.2026"],
    ["Rates December 2026", "1 December 2026"],
    ["Issue date | 27.11.2026", "27.11.2026"],
  ])("%s says when the list begins", (text, date) => {
    expect(readNotice(text)).toEqual({ starts: [date] });
  });

  test.each([
    ...["billed 60/60", "EEA caller numbers only", "A connection fee of 0.05 applies", "Rates from Europe", "Old prices"],
    ...[
      "Calls per second: 10",
      "Tech prefix: 1234#",
      "Valid until 31 December 2026",
      "Valid from 1 December",
      "All rates exclude 5% tax",
    ],
    ...["Valid from 2026-10-01 to 2026-10-31", "Customer: rates are per call", "Europe mobile surcharge", "x".repeat(301)],
    ...["Account manager: 50% discounts", "Reference: EEA origin", "Rates rise by 5", "Client: a fee of $1"],
    ...["Attention: Germany doubles on Monday", "Notice: Germany has moved", "Reference: add ten to each", "List: mobile twice"],
    ...["End date 2026-11-30", "Validity: 30 Nov 2026", "Valid 2026-11-30", "Rates end 2026-11-30", "gültig bis 30.11.2026"],
    ...["Supplier: all codes of France are out", "Carrier: France by request"],
    ...["Customer: prices go up", `Contact: ${"Germany ".repeat(13)}`, "Version: two for mobile"],
  ])("%s must be read by an operator", (text) => {
    expect(readNotice(text)).toBe("unclear");
  });
});

describe("units", () => {
  test.each([
    "Rate/sec",
    "Rate per hour",
    "Price per 1000 min",
    "Rate per 100 s",
    "Preis pro Sekunde",
    "Rate/1000",
    "Sec rate",
    "USD/h",
  ])("the header %s is not per minute", (header) => {
    expect(isOtherUnit(header)).toBe(true);
  });

  test.each(["Rate/min", "Rate (USD/min)", "Rate (60 s)", "Price per minute", "Rate USD / 60 s", "Price N"])(
    "the header %s may be per minute",
    (header) => {
      expect(isOtherUnit(header)).toBe(false);
    },
  );

  test.each([
    ["All rates per second", true],
    ["Prices are per 1000 minutes", true],
    ["USD per 6 seconds", true],
    ["$0.01/h", true],
    ["All rates per minute", false],
    ["Rates are billed per second", false],
    ["10 calls per second", false],
  ])("%s: another unit %s", (text, expected) => {
    expect(namesOtherUnit(text)).toBe(expected);
  });

  test("the cells of a unit column are known words", () => {
    expect(["min", "Minute", "1 min", "60 sec", "мин"].filter((cell) => !isMinute(cell))).toEqual([]);
    expect(["s", "sec", "h", "1000 min", "?"].filter((cell) => isMinute(cell))).toEqual([]);
  });

  test.each(["USc/min", "US cts", "centavos", "0.5 центов", "2 美分", "人民币"])("%s is not dollars", (text) => {
    expect(currencyIn(text)).toBe("other");
  });

  test("dollars in other scripts are dollars", () => {
    expect(["美元", "в долларах", "بالدولار"].map(currencyIn)).toEqual(["dollars", "dollars", "dollars"]);
  });
});

describe("flags and statuses", () => {
  const read = <Meaning>(words: string, meaning: (cell: string) => Meaning) => words.split("|").map(meaning);
  const all = <Meaning>(words: string, meaning: Meaning) => words.split("|").map(() => meaning);

  test.each([
    ["Blocked|ja|oui|on|Y (fraud)|Yes, see letter|x|1|TRUE|sí|да|是|نعم|✓|Forbidden", "yes"],
    ["|0|-|no|nein|non|false|нет|hayır|Open|aktiv", "no"],
    ["2|❌|No (see notes)|maybe|0.5|?|ok?|no?", "unknown"],
  ] as const)("the flags %s mean %s", (words, meaning) => {
    expect(read(words, readFlag)).toEqual(all(words, meaning));
  });

  test.each([
    [
      "Discontinue|Block|Barred|Suspended|Inactive|Closed - fraud|Code removed|Withdrawn|Not available|D|gesperrt|закрыт|已关闭|kapalı|مغلق",
      "closed",
    ],
    ["|Active|A|New|No change|offen|Ouvert|abierto|открыт|正常", "open"],
    ["I|R|pending|future|Not changed|❌|↑|ok?|open?", "unknown"],
  ] as const)("the statuses %s are %s", (words, meaning) => {
    expect(read(words, readStatus)).toEqual(all(words, meaning));
  });

  test("a change column has words and signs of its own", () => {
    expect(read("I|N|Increase|↑|=|-", readChange)).toEqual(all("I|N|Increase|↑|=|-", "open"));
    expect(read("R|?", readChange)).toEqual(["unknown", "unknown"]);
  });

  test("a column of open destinations must say so", () => {
    expect(read("yes|1|Active|✓", readOpenFlag)).toEqual(all("yes|1|Active|✓", "open"));
    expect(read("no|0|Inactive|blocked", readOpenFlag)).toEqual(all("no|0|Inactive|blocked", "closed"));
    expect(read("|-|maybe|yes?", readOpenFlag)).toEqual(all("|-|maybe|yes?", "unknown"));
  });

  test("names and prices hold words of their own", () => {
    expect(["Iran - Closed", "Germany gesperrt"].map(nameCondition)).toEqual(["closed", "closed"]);
    const conditions =
      "UK Surcharge|France EEA Origin|Additive|France EU only|France roaming|France (min 60 s)|France first minute|France holiday|10 percent|France heures creuses|France night";
    expect(read(conditions, nameCondition)).toEqual(all(conditions, "conditional"));
    const closed =
      "France not working|France no route|France on request|France TBA|France fermée|France, do not sell|France fraud";
    expect(read(closed, nameCondition)).toEqual(all(closed, "closed"));
    const names = "|Germany Mobile|Barcelona|Original Telecom|Réunion|Mines Telecom 7";
    expect(read(names, nameCondition)).toEqual(all(names, null));
    expect(["Closed", "n/a", "call us", "0.01 closed", ""].map(isClosedPrice)).toEqual([true, true, false, false, false]);
  });
});
