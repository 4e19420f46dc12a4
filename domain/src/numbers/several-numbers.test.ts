import { describe, expect, test } from "vitest";
import { readNumber } from "./number-plans.ts";
import { type NormalizedNumber, normalizeNumber } from "./phone-number.ts";

function choicesOf(number: NormalizedNumber): readonly string[] {
  return !number.ok && number.problem === "ambiguous" ? number.choices.map(({ e164 }) => e164) : [];
}

describe("several numbers in a text", () => {
  const [first, second] = ["+44 20 7946 0018", "+44 20 7946 0019"];
  const separators = [
    ...[", ", ",", "; ", ";", " / ", "/", " | ", "|", " & ", "\n", "\r\n", "\t", "   ", " + ", " or ", " oder ", " ou ", " o "],
    ...[" u ", " y ", " и ", " या ", " أو ", " और ", ", oder ", " / Fax: ", " (Anna), ", " \\ ", "، ", "、"],
  ];

  test.each(separators)("separated by %j are a question, and never joined", (separator) => {
    for (const [one, other, country] of [
      [first, second, null],
      ["020 7946 0018", "020 7946 0019", "GB"],
      ["(020) 7946-0018", "(020) 7946-0019", "GB"],
    ] as const)
      expect(choicesOf(normalizeNumber(one + separator + other, country))).toEqual(["+442079460018", "+442079460019"]);
  });

  test("are a question in brackets, glued by a lost line end, and behind an extension", () => {
    for (const text of [`${first} (${second})`, "+442079460018+442079460019", `${first} x 12, ${second}`])
      expect(choicesOf(normalizeNumber(text, null))).toEqual(["+442079460018", "+442079460019"]);
  });

  test.each([
    ["+1 (212) 555-1234, (212) 555-5678", null, ["+12125551234", "+12125555678"]],
    ["22334455, 22334456", "NO", ["+4722334455", "+4722334456"]],
    ["2345 6789/2345 6780", "HK", ["+85223456789", "+85223456780"]],
    ["03-1234-5678 / 090-1234-5678", "JP", ["+81312345678", "+819012345678"]],
    ["Tel 1: 030 901820, Tel 2: 030 901821", "DE", ["+4930901820", "+4930901821"]],
    // The second lacks its area code.
    ["030 901820 / 901821", "DE", ["+4930901820"]],
    ["+91 98765 43210 / 43211", null, ["+919876543210"]],
    // Maybe an extension of two digits, maybe the last digits of a second number.
    ["+49 30 901820/21", null, ["+4930901820", "+493090182021"]],
    ["+47 22 33 44 55/56", null, ["+4722334455"]],
  ])("may share a beginning: %s with %s chosen", (text, country, choices) => {
    expect(choicesOf(normalizeNumber(text, country))).toEqual(choices);
  });

  test.each([
    ["+44 20 7946 0018 / 020 7946 0018", "GB", "+442079460018"],
    ["0171/1234567", "DE", "+491711234567"],
    ["+49 171/1234567", null, "+491711234567"],
    ["02/633 12 12", "BE", "+3226331212"],
    ["020 7946/0018", "GB", "+442079460018"],
    ["+43 1 5123456-78", null, "+431512345678"],
    ["+44 20 7946 0018,123456", null, "+442079460018"],
    ["+44 20 7946 0018,,1234567", null, "+442079460018"],
    ["+44 20 7946 0018,,02079460019#", null, "+442079460018"],
  ])("are not found in one number: %s with %s chosen", (text, country, e164) => {
    expect(normalizeNumber(text, country)).toMatchObject({ ok: true, e164 });
  });

  // A footnote, a rating, hours: "+49 30 901820[2]", "030 901820 ★ 4.5". Where numbers have no fixed length, they fit into the number.
  test.each([...'!"$%&(/:<=>?@[\\^`{|§°€•…→★☎📞«“„‹№″¦「'])("and digits behind %s are a question, also in the dialer", (sign) => {
    for (const [text, country] of [
      [`030 901820 ${sign}2`, "DE"],
      [`+49 30 901820${sign} 2`, null],
    ] as const) {
      expect(choicesOf(normalizeNumber(text, country))).toEqual(["+4930901820", "+49309018202"]);
      expect(readNumber(text, country).ok).toBe(false);
    }
    const two = normalizeNumber(`020 7946 0018 ${sign} 020 7946 0019`, "GB");
    expect(choicesOf(two)).toEqual(["+442079460018", "+442079460019"]);
  });

  test.each([..."-.–−·・_~'’)"])("are not seen in the groups of one number, with %s between them", (sign) => {
    for (const text of [`030 9018${sign}20`, `+49 30 9018 ${sign} 20`])
      expect(normalizeNumber(text, "DE")).toMatchObject({ ok: true, e164: "+4930901820" });
  });

  test("that are incomplete are refused, never sent as tones", () => {
    expect(normalizeNumber("+44 20 7946 0018,+442", null)).toMatchObject({ ok: false, problem: "invalid" });
    expect(normalizeNumber("+44 20 7946 0018,,+442", null)).toMatchObject({ ok: false, problem: "invalid" });
  });
});
