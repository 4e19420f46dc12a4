import { describe, expect, test } from "vitest";
import { parseContactFile } from "../../test/parse-contact-file.ts";

/** "Ann +11 +12", with the damage of a contact that is held back. */
function people(file: string): string[] {
  const result = parseContactFile(new TextEncoder().encode(file));
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return result.contacts.map(({ firstName, lastName, numbers, damage }) =>
    [firstName, lastName, ...numbers.map(({ text }) => text), ...(damage === null ? [] : [`(${damage})`])]
      .filter(Boolean)
      .join(" "),
  );
}
const card = (...lines: string[]) => ["BEGIN:VCARD", "VERSION:3.0", ...lines, "END:VCARD", ""].join("\r\n");
const ANN = card("FN:Ann", "TEL:+493012345678");
const BOB = card("FN:Bob", "TEL:+493087654321");
const BOTH = ["Ann +493012345678", "Bob +493087654321"];

describe("two cards", () => {
  test.each([
    ["glued without a line end", ANN.trimEnd() + BOB],
    ["glued with a space", `${ANN.trimEnd()} ${BOB}`],
    ["glued behind a number", ANN.replace("\r\nEND", "END") + BOB],
    ["without END and BEGIN", ANN.replace("END:VCARD\r\n", "") + BOB.replace("BEGIN:VCARD\r\n", "")],
    ["nested", ANN.replace("END:VCARD\r\n", `${BOB}END:VCARD\r\n`)],
    ["indented", (ANN + BOB).replaceAll(/^(?=.)/gm, " ")],
    ["with indented borders", ANN.replace("END", " END") + BOB.replace("BEGIN", "\tBEGIN")],
    ["with spaces in their borders", (ANN + BOB).replaceAll("BEGIN:VCARD", "BEGIN : VCARD ").replaceAll("END:", " end: ")],
    ["with a byte order mark between them", `${ANN.replace("END:VCARD\r\n", "")}\uFEFF${BOB}`],
    ["of which the first ends in a soft break", ANN.replace("TEL", "NOTE;QUOTED-PRINTABLE:x=\r\nTEL") + BOB],
    ["of which the second begins with its number", ANN + BOB.replace(/BEGIN.*\r\nVERSION.*\r\n/, "")],
  ])("%s stay two", (_, file) => expect(people(file)).toEqual(BOTH));

  test.each([
    ["whose border is lost", `BEGIN:VCARD\nFN:Ann\nTEL:+493012345678\nFN:Bob\nTEL:+493087654321\nEND:VCARD\n`],
    ["whose border is lost, by structured names", card("N:Lee;Ann", "TEL:+493012345678", "N:Ray;Bob", "TEL:+493087654321")],
    [
      "whose border is lost, one full and one structured name",
      card("FN:Ann Lee", "TEL:+49301234567", "N:Ray;Bob", "TEL:+493087654321"),
    ],
    ["whose border is lost after the first name", card("FN:Ann", "FN:Bob", "TEL:+493087654321")],
    ["whose border is lost, by their identifiers", card("FN:Ann", "UID:1", "TEL:+493012345678", "UID:2", "TEL:+493087654321")],
    ["of which one lost its head", `TEL:+493012345678\nFN:Bob\nTEL:+493087654321\nEND:VCARD\n${card("FN:Cy")}`],
  ])("%s are held back", (_, file) => {
    for (const one of people(file).filter((person) => person.includes("+49"))) expect(one).toContain("(two_people)");
  });

  test("in one, or a name in two languages, are no damage", () => {
    expect(people(card("FN:Mum", "N:Lee;Ann", "TEL:+493012345678"))).toEqual(["Mum +493012345678"]);
    const broken = card("FN:Gábor Béla\n\nSzabó", "N:Béla\\n\\nSzabó;Gábor;;;", "TEL:+493012345678");
    expect(people(broken)).toEqual(["Gábor Béla Szabó +493012345678"]);
    expect(people(card("FN;ALTID=1;LANGUAGE=en:Ann", "FN;ALTID=1;LANGUAGE=jp:アン", "TEL:+493012345678"))).toEqual([
      "Ann +493012345678",
    ]);
    expect(people(card("TEL:+493012345678", "N:Lee;Ann", "FN:Ann Lee"))).toEqual(["Ann Lee +493012345678"]);
    expect(people(card("FN:Ann", "AGENT:BEGIN:VCARD", "FN:Agent", "TEL:+4911", "END:VCARD", "TEL:+493012345678") + BOB)).toEqual(
      BOTH,
    );
  });
});

describe("a number that may be cut", () => {
  test.each([
    ["by the end of the file", "BEGIN:VCARD\nFN:Ann\nTEL:+4930123456"],
    ["by the next card", `BEGIN:VCARD\nFN:Ann\nTEL:+4930123456${BOB}`],
    ["by a fold without its space", card("FN:Ann", "TEL:+49 30 1234", "5678")],
    ["by the end of a table", "Name,Phone,Notes\nAnn,+493012345678,x\nBob,+4930876543"],
  ])("%s is held back", (_, file) => {
    const damaged = people(file).filter((one) => one.includes("cut_off"));
    expect(damaged).toHaveLength(1);
    expect(people(file).filter((one) => !one.includes("("))).not.toContain("Ann +4930123456");
  });

  test("is a whole one if its line or its row is complete", () => {
    expect(people("BEGIN:VCARD\nFN:Ann\nTEL:+493012345678\n")).toEqual(["Ann +493012345678"]);
    expect(people("Name,Phone\nAnn,+493012345678")).toEqual(["Ann +493012345678"]);
    expect(people("Name,Phone,Notes\nAnn,+493012345678\nBob,+493087654321")).toEqual(BOTH);
    expect(people(card('TEL;TYPE="home:+493012345678', "FN:Ann") + BOB)).toEqual(BOTH);
  });
});

describe("rows of a table", () => {
  test.each([
    ["glued without a line end", "Name,Phone\nAnn,+493012345678Bob,+493087654321\n"],
    ["glued behind a third column", "Name,Phone,Notes\nAnn,+493012345678,xBob,+493087654321,y\n"],
    ["swallowed by the quotation mark of a number", 'Name,Phone\nAnn,"+493012345678\nBob,+493087654321"\n'],
    ["swallowed by the quotation mark of a name", 'Name,Phone\n"Ann,+493012345678\nBob",+493087654321\n'],
    ["swallowed by the quotation mark of a note", 'Name,Phone,Notes\nAnn,+493012345678,"x\nBob,+493087654321,y"\n'],
  ])("%s are held back or stay two", (_, file) => {
    for (const one of people(file)) {
      const isMixed = one.includes("Ann") && one.includes("87654321");
      const isInvalid = /\d[A-Z]/i.test(one);
      expect(!isMixed || one.includes("(two_people)") || isInvalid).toBe(true);
    }
    expect(people(file).filter((one) => !one.includes("(two_people)"))).not.toContain("Ann +493012345678 +493087654321");
  });

  test("with a note of several lines are read", () => {
    expect(people('Name,Phone,Notes\nAnn,+493012345678,"Hello, there\nMonday, maybe"\n')).toEqual(["Ann +493012345678"]);
  });
});

test("a piece lost anywhere from two cards gives nobody the other's number", () => {
  const whole = ANN + BOB;
  for (let from = 0; from < whole.length; from += 1)
    for (let length = 1; length <= 64; length += 1) {
      const [ahead, behind] = [whole.slice(0, from), whole.slice(from + length)];
      const seam = `${ahead.split("\r\n").at(-1)}${behind.split("\r\n")[0]}`.trim();
      // A piece between two line ends, or the end of a number, leaves no trace.
      if (/^(?:FN:Ann\s+)?(?:TEL:[+\d]*\s*)*$/.test(seam) || whole.split("\r\n").includes(seam)) continue;
      const result = parseContactFile(new TextEncoder().encode(ahead + behind));
      const mixed = (result.ok ? result.contacts : []).filter(({ firstName, numbers, damage }) => {
        const other = { Ann: "+493087654321", Bob: "+493012345678" }[firstName];
        return damage === null && numbers.some(({ text }) => text === other);
      });
      expect(mixed).toEqual([]);
    }
});
