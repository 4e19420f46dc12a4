import { describe, expect, test } from "vitest";
import { parseContactFile } from "../../test/parse-contact-file.ts";

function contactsIn(file: string) {
  const result = parseContactFile(new TextEncoder().encode(file));
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return result.contacts;
}
/** "Ann Lee: +11 mobile, +12 other" */
const people = (file: string) =>
  contactsIn(file).map(
    ({ firstName, lastName, numbers }) =>
      `${`${firstName} ${lastName}`.trim()}: ${numbers.map(({ text, type }) => `${text} ${type}`).join(", ")}`,
  );
const numbers = (file: string) => contactsIn(file).flatMap((contact) => contact.numbers.map(({ text }) => text));
const card = (...lines: string[]) => ["BEGIN:VCARD", "VERSION:3.0", "FN:Ann", ...lines, "END:VCARD", ""].join("\r\n");

describe("a table as people keep it", () => {
  test.each([
    ["two lines in a cell", 'Name,Phone\nAnn,"07400 123456\n07400 123457"\n'],
    ["two lines in a cell, as Excel on Windows writes them", 'Name,Phone\r\nAnn,"07400 123456\r\n07400 123457"\r\n'],
    ["notes behind the numbers", 'Name,Phone\nAnn,"07400 123456 (Anna), 07400 123457 (Ben)"\n'],
    ["notes in front of the numbers", 'Name,Phone\nAnn,"Anna: 07400 123456; Ben: 07400 123457"\n'],
    ["notes and lines", 'Name,Phone\nAnn,"07400 123456 - Anna\n07400 123457 - Ben"\n'],
    ["a fax beside them", 'Name,Phone\nAnn,"07400 123456, Fax 020 7946 0000, 07400 123457"\n'],
    ["a fax behind them", 'Name,Phone\nAnn,"07400 123456 (Anna), 07400 123457 (Ben), 020 7946 0000 (Fax)"\n'],
    ["columns of the same name", "Name,Phone,Phone\nAnn,07400 123456,07400 123457\n"],
  ])("with %s has both numbers", (_, file) => expect(numbers(file)).toEqual(["07400 123456", "07400 123457"]));

  const BOTH = ["Ann: 07400 123456 other", "Bob: 07400 123457 other"];
  test.each([
    ["a title", "My friends\n\nName,Phone\nAnn,07400 123456\nBob,07400 123457\n"],
    ["a title with commas", "Friends, family, others\nName;Phone\nAnn;07400 123456\nBob;07400 123457\n"],
    ["a title that looks like a header", "Contacts,\nName,Phone\nAnn,07400 123456\nBob,07400 123457\n"],
    ["a title with an address", "Exported by ann@example.com,,\n,Name,Phone\n,Ann,07400 123456\n,Bob,07400 123457\n"],
    ["a header of two rows", ",Reach,\nName,Phone,Notes\nAnn,07400 123456,\nBob,07400 123457,\n"],
    ["empty columns in front", ",,Name,Phone\n,,Ann,07400 123456\n,,Bob,07400 123457\n"],
    ["bars", "Name|Phone\nAnn|07400 123456\nBob|07400 123457\n"],
    ["bars around", "| Name | Phone |\n|---|---|\n| Ann | 07400 123456 |\n| Bob | 07400 123457 |\n"],
    ["tabs and commas in names", "Name\tPhone\tNotes\nAnn\t07400 123456\ta, b, c\nBob\t07400 123457\ta, b, c\n"],
    ["a named bar", "sep=|\nName|Phone\nAnn|07400 123456\nBob|07400 123457\n"],
    ["its header again", "Name,Phone\nAnn,07400 123456\nName,Phone\nBob,07400 123457\n"],
    ["a byte order mark in the middle", "\uFEFFName,Phone\nAnn,07400 123456\n\uFEFFName,Phone\nBob,07400 123457\n"],
  ])("with %s has both people and nobody else", (_, file) => expect(people(file)).toEqual(BOTH));

  test("whose header only names the kind of number is read", () => {
    expect(people("이름,집,팩스\n김민수,+82 2 1234 5678,+82 2 1234 5679\n")).toEqual(["김민수: +82 2 1234 5678 home"]);
  });

  test("whose digits a program took for decimals has the numbers that they were", () => {
    const file = "Name,Code,Phone,Ext\nAnn,44.0,2079460000.0,12.0\nBob,49.00,301234567.00,\nCy,,+49 30.1234.0,\n";
    const read = contactsIn(file).flatMap((contact) => contact.numbers);
    expect(read.map(({ text, stated }) => `${stated?.text ?? ""} ${text}`.trim())).toEqual([
      "44 2079460000 ext. 12",
      "49 301234567",
      "+49 30.1234.0",
    ]);
  });

  test("with a total has no number in it", () => {
    expect(people("Name,Phone\nAnn,07400123456\nTotal,07400123457\n")).toEqual(["Ann: 07400123456 other", "Total: "]);
    expect(people("Name,Phone\nAnn,07400123456\nSumme: 1,07400123457\n").at(-1)).toBe("Summe: 1: ");
    expect(people("Name,Phone\nAnn,07400123456\nTotal,+33 1 40 00 00 00\n").at(-1)).toBe("Total: +33 1 40 00 00 00 other");
  });

  test("with labelled numbers, as Google writes it, has no fax", () => {
    const head = "Name,Phone 1 - Label,Phone 1 - Value,Phone 2 - Label,Phone 2 - Value\n";
    const [ann] = contactsIn(`${head}Ann,Home Fax,+44 20 7946 0000,Mobile,+44 7400 123456\n`);
    expect(ann).toMatchObject({ numbers: [{ text: "+44 7400 123456", type: "mobile" }], repairs: ["fax_left_out"] });
  });
});

describe("a card's number", () => {
  test.each([
    ["item2.TEL:+44", "item2.X-ABLabel:_$!<HomeFAX>!$_"],
    ["item2.X-ABLabel:_$!<WorkFAX>!$_", "item2.TEL:+44"],
    ["ITEM2.TEL:+44", "item2.X-ABLABEL:Work Fax"],
    ["item1.TEL;type=pref:+44", "item1.X-ABLabel:Telefax"],
    ["item1.TEL:+44", "item1.X-ABLabel:Факс"],
    ["item1.TEL:+44", "item1.X-ABLabel:传真"],
    ["item1.TEL:+44", "item1.X-ABLabel:팩스"],
    ["item1.TEL:+44", "item1.X-ABLabel:Pager"],
    ["TEL;HOME;FAX:+44"],
    ["TEL;FAX;CELL:+44"],
    ["TEL;TYPE=FAX;TYPE=WORK:+44"],
    ['TEL;TYPE="home,fax":+44'],
    ["TEL;TYPE=home,fax:+44"],
    ["TEL;VALUE=uri;TYPE=fax:tel:+44"],
    ["TEL;TYPE=X-HomeFAX:+44"],
    ["TEL;X-CUSTOM(CHARSET=UTF-8,ENCODING=QUOTED-PRINTABLE,=46=61=78=20=42=C3=BC=72=6F):+44"],
    ["TEL;PAGER:+44"],
    ["TEL;MODEM:+44"],
    ["TEL;TYPE=textphone:+44"],
    ["TEL:Fax +44 20 7946 0000"],
  ])("in %j is not for voice", (...lines) => {
    const [ann] = contactsIn(card(...lines, "TEL:+44 7400 123456"));
    expect(ann).toMatchObject({ numbers: [{ text: "+44 7400 123456" }], repairs: ["fax_left_out"] });
  });

  test.each([
    [["item1.TEL:+44", "item1.X-ABLabel:_$!<Mobile>!$_"], "mobile"],
    [["9JN9AI.TEL;TYPE=pref:+44", "9JN9AI.X-ABLABEL:WORK\\;VOICE\\;PREF"], "work"],
    [["FACL6F.TEL;TYPE=CELL,PREF:+44", "FACL6F.X-ABLABEL:PREF\\;CELL"], "mobile"],
    [["item1.TEL:+44", "item1.X-ABLabel:Mum at the office"], "work"],
    [["item1.TEL:+44", "item2.X-ABLabel:Fax", "item2.EMAIL:a@example.com"], "other"],
    [["TEL;WORK;VOICE;FAX:+44"], "work"],
  ])("in %j is for voice: %s", (lines, type) => {
    expect(people(card(...lines))).toEqual([`Ann: +44 ${type}`]);
  });

  test("is the first one if its card prefers it", () => {
    expect(numbers(card("TEL:+11", "TEL;TYPE=CELL,PREF:+12", "TEL:+13"))).toEqual(["+12", "+11", "+13"]);
    expect(numbers(card("TEL;PREF=2:+11", "TEL;PREF=1:+12"))).toEqual(["+12", "+11"]);
    expect(numbers(card("TEL;HOME:+11", "TEL;PREF;CELL:+12"))).toEqual(["+12", "+11"]);
  });
});
