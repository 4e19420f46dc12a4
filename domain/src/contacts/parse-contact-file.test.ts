import { expect, test } from "vitest";
import { contactFileLimits, type FileContact } from "./contact-file.ts";
import { mapDetails } from "./contact-details.ts";
import { parseContactFile } from "../../test/parse-contact-file.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);
const utf16 = (text: string, order: "le" | "be", mark: boolean) => {
  const bytes = Buffer.from((mark ? "\uFEFF" : "") + text, "utf16le");
  return new Uint8Array(order === "le" ? bytes : bytes.swap16());
};
const latin1 = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));

function contactsIn(bytes: Uint8Array | string): readonly FileContact[] {
  const result = parseContactFile(typeof bytes === "string" ? utf8(bytes) : bytes);
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return result.contacts;
}
const problemOf = (text: string) => {
  const result = parseContactFile(utf8(text));
  return result.ok ? null : result.problem;
};
/** "1 Lucía Fernández +525550000142 mobile" */
const shortly = (contacts: readonly FileContact[]) =>
  contacts.map(({ row, firstName, lastName, numbers }) =>
    [row, firstName, lastName, ...numbers.flatMap(({ text, type }) => [text, type])].filter((part) => part !== "").join(" "),
  );

const SPECIFIED = "first_name,last_name,phone_number,email,company\nLucía,Fernández,+52 55 5000 0142,lucia@example.com,Casa\n";
const LUCIA = {
  row: 2,
  firstName: "Lucía",
  lastName: "Fernández",
  ...mapDetails(() => ""),
  company: "Casa",
  email: "lucia@example.com",
  notes: "",
  favorite: false,
  numbers: [{ text: "+52 55 5000 0142", type: "other", stated: null }],
  repairs: [],
  damage: null,
};

test("a table in the documented format has all fields, separated by commas, semicolons or tabs", () => {
  for (const delimiter of [",", ";", "\t"])
    for (const lineEnd of ["\n", "\r\n", "\r"])
      expect(contactsIn(SPECIFIED.replaceAll(",", delimiter).replaceAll("\n", lineEnd))).toEqual([LUCIA]);
  expect(contactsIn(`sep=;\r\n${SPECIFIED.replaceAll(",", ";")}`)).toEqual([{ ...LUCIA, row: 3 }]);
});

test("UTF-8 and UTF-16, with or without a byte order mark, and Latin-1 are detected", () => {
  const files = [
    utf8(SPECIFIED),
    utf8(`\uFEFF${SPECIFIED}`),
    utf16(SPECIFIED, "le", true),
    utf16(SPECIFIED, "be", true),
    utf16(SPECIFIED, "le", false),
    utf16(SPECIFIED, "be", false),
    latin1(SPECIFIED),
  ];
  for (const file of files) expect(contactsIn(file)).toEqual([LUCIA]);
});

test("quoted cells may contain delimiters, quotes and line ends, and empty rows are counted but skipped", () => {
  const text =
    'first_name,phone_number,notes\n\n"Ann ""Annie"", Jr",+442079460000,"one\ntwo, three"\n,,\n  Bob ,+442079460001,\n';
  expect(contactsIn(text).map(({ row, firstName, notes }) => [row, firstName, notes])).toEqual([
    [3, 'Ann "Annie", Jr', "one\ntwo, three"],
    [5, "Bob", ""],
  ]);
});

test("Google's old and new tables are read, with several numbers per row and cell, their labels and the star", () => {
  const now =
    "First Name,Middle Name,Last Name,Organization Name,Labels,E-mail 1 - Label,E-mail 1 - Value,Phone 1 - Label,Phone 1 - Value,Phone 2 - Label,Phone 2 - Value\n" +
    "Kwame,K.,Mensah,Mensah & Co,* myContacts ::: * starred,* Home,kwame@example.com,Mobile,+233 20 000 0142 ::: +233 20 000 0143,Work,+233 30 200 0142\n";
  const old =
    "Name,Given Name,Family Name,Group Membership,Phone 1 - Type,Phone 1 - Value\nKwame Mensah,Kwame,Mensah,* myContacts,Home,+233200000142\n";
  expect(shortly(contactsIn(now))).toEqual([
    "2 Kwame K. Mensah +233 20 000 0142 mobile +233 20 000 0143 mobile +233 30 200 0142 work",
  ]);
  expect(contactsIn(now)[0]).toMatchObject({ favorite: true, company: "Mensah & Co", email: "kwame@example.com" });
  expect(shortly(contactsIn(old))).toEqual(["2 Kwame Mensah +233200000142 home"]);
  expect(contactsIn(old)[0]?.favorite).toBe(false);
});

test("Outlook's tables are read, with number types from the headers and without fax numbers", () => {
  const text =
    "First Name,Last Name,Company,Business Fax,Business Phone,Home Phone,Mobile Phone,Other Phone,E-mail Address,E-mail Type,Notes,Primary Phone\n" +
    "Priya,Nair,Nair Textiles,+911100000001,+911100000002,+911100000003,+919800000142,,priya@example.com,SMTP,Cloth,\n";
  expect(shortly(contactsIn(text))).toEqual(["2 Priya Nair +911100000002 work +911100000003 home +919800000142 mobile"]);
  expect(contactsIn(text)[0]).toMatchObject({ company: "Nair Textiles", email: "priya@example.com", notes: "Cloth" });
});

test("tables with headers in other languages are read", () => {
  expect(shortly(contactsIn("Nombre;Apellidos;Teléfono móvil\nAna;Ruiz;+34600000142\n"))).toEqual([
    "2 Ana Ruiz +34600000142 mobile",
  ]);
  expect(shortly(contactsIn("Prénom;Nom;Téléphone domicile\nZoé;Petit;+33100000142\n"))).toEqual([
    "2 Zoé Petit +33100000142 home",
  ]);
  expect(shortly(contactsIn("Vorname\tNachname\tTelefon geschäftlich\nJörg\tWeiß\t+4930000142\n"))).toEqual([
    "2 Jörg Weiß +4930000142 work",
  ]);
});

test("a table without headers is read if a column contains phone numbers", () => {
  expect(shortly(contactsIn("Ola Nowak,+48 22 500 0142\nHassan El-Amin,+971 4 500 0142\n"))).toEqual([
    "1 Ola Nowak +48 22 500 0142 other",
    "2 Hassan El-Amin +971 4 500 0142 other",
  ]);
  expect(problemOf("colour,size\nred,4\n")).toEqual({ kind: "no_phone_column", row: 1 });
});

test("a contact without a first name gets the family name or the company instead, or stays without a name", () => {
  const text = "first_name,last_name,company,phone_number\n,Nowak,,+1\n,,Accra City Bank,+2\n,,,+3\nAda,,,\n";
  expect(contactsIn(text).map(({ firstName, lastName, company }) => [firstName, lastName, company])).toEqual([
    ["Nowak", "", ""],
    ["Accra City Bank", "", ""],
    ["", "", ""],
    ["Ada", "", ""],
  ]);
});

test("the apostrophe that protects a cell from being evaluated as a formula is removed", () => {
  const text = "first_name,phone_number,notes\n'=1+1,'+442079460000,''@x\n'quoted',+442079460001,-\n";
  expect(contactsIn(text).map(({ firstName, numbers, notes }) => [firstName, numbers[0]?.text, notes])).toEqual([
    ["=1+1", "+442079460000", "'@x"],
    ["'quoted'", "+442079460001", "-"],
  ]);
});

const card = (...lines: string[]) => ["BEGIN:VCARD", ...lines, "END:VCARD", ""].join("\r\n");

test("cards of version 2.1 are read, with quoted-printable, soft line breaks, character sets and bare types", () => {
  const text = card(
    "VERSION:2.1",
    "N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=D0=9A=D1=83=D0=B7=D0=BD=D0=B5=D1=86=D0=BE=",
    "=D0=B2;=D0=98=D0=B2=D0=B0=D0=BD;;;",
    "ORG;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:Caf=E9",
    "NOTE;ENCODING=QUOTED-PRINTABLE:one=0D=0Atwo",
    "TEL;CELL;VOICE:+7 900 000-01-42",
    "TEL;WORK;FAX:+7 900 000-01-43",
    "TEL;WORK:+7 495 000-01-42",
    "PHOTO;ENCODING=BASE64;TYPE=JPEG:",
    ` ${"A".repeat(70)}`,
    ` ${"B".repeat(20_000)}`,
    "",
  );
  expect(shortly(contactsIn(text))).toEqual(["1 Иван Кузнецов +7 900 000-01-42 mobile +7 495 000-01-42 work"]);
  expect(contactsIn(text)[0]).toMatchObject({ notes: "one\ntwo", company: "Café", repairs: ["fax_left_out"] });
});

test("iCloud's cards of version 3.0 are read, with groups, folding, escapes and pictures", () => {
  const text = card(
    "VERSION:3.0",
    "PRODID:-//Apple Inc.//macOS//EN",
    "N:El-Amin;Hassan;;Dr.;",
    "FN:Dr. Hassan El-Amin",
    "ORG:Embassy\\, visa office;Counter",
    "item1.TEL;type=pref:+971 4 500 0142",
    "item1.X-ABLabel:Main",
    "TEL;type=HOME;type=VOICE:+971 4 500 ",
    " 0143",
    "item2.EMAIL;type=INTERNET:hassan@example.com",
    "NOTE:first line\\nsecond\\; with a semic",
    " olon",
    "CATEGORIES:myContacts,starred",
    "PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRg",
    " ABAQAAAQABAAD",
  );
  expect(contactsIn(text)).toEqual([
    {
      row: 1,
      firstName: "Hassan",
      lastName: "El-Amin",
      ...mapDetails(() => ""),
      company: "Embassy, visa office",
      email: "hassan@example.com",
      notes: "first line\nsecond; with a semicolon",
      favorite: true,
      numbers: [
        { text: "+971 4 500 0142", type: "other", stated: null },
        { text: "+971 4 500 0143", type: "home", stated: null },
      ],
      repairs: [],
      damage: null,
    },
  ]);
});

test("cards of version 4.0 are read, with numbers as URIs, quoted parameters and only a full name", () => {
  const text = card(
    "VERSION:4.0",
    "FN;LANGUAGE=en:Zoë de Witt",
    'TEL;VALUE=uri;PREF=1;TYPE="voice,cell":tel:+31-6-0000-0142',
    'TEL;TYPE="work,voice";VALUE=uri:tel:+31-20-000-0142;ext=12',
    "EMAIL:mailto:zoe@example.com",
  );
  const [zoe] = contactsIn(text);
  expect(shortly([zoe as FileContact])).toEqual(["1 Zoë de Witt tel:+31-6-0000-0142 mobile tel:+31-20-000-0142;ext=12 work"]);
  expect(zoe?.lastName).toBe("de Witt");
  expect(zoe?.email).toBe("zoe@example.com");
});

test("an embedded card, a card without a number and a truncated card do not affect other cards", () => {
  const text =
    card("VERSION:2.1", "N:One;Ann", "AGENT:", "BEGIN:VCARD", "N:Agent;Secret", "TEL:+1", "END:VCARD", "TEL:+11") +
    card("VERSION:3.0", "FN:Two") +
    "BEGIN:VCARD\nVERSION:3.0\nFN:Three Last\nTEL:+33";
  expect(shortly(contactsIn(text))).toEqual(["1 Ann One +11 other", "2 Two", "3 Three Last +33 other"]);
});

test("the format is detected from the content, and a file of another kind has no phone column", () => {
  expect(shortly(contactsIn(card("FN:Ann", "TEL:+11")))).toEqual(["1 Ann +11 other"]);
  expect(problemOf("hello")).toEqual({ kind: "no_phone_column", row: 1 });
  expect(contactsIn("")).toEqual([]);
});

test("a file over a limit is rejected with the row that exceeds it", () => {
  const { rows, columns, bytes } = contactFileLimits;
  const head = "first_name,phone_number\n";
  expect(problemOf(head + "a,+1\n".repeat(rows))).toBeNull();
  expect(problemOf(head + "a,+1\n".repeat(rows + 1))).toEqual({ kind: "too_many_rows", row: rows + 2 });
  expect(problemOf(`${head}a,+1\n${",".repeat(columns)}\n`)).toEqual({ kind: "too_many_columns", row: 3 });
  expect(problemOf("x".repeat(bytes + 1))).toEqual({ kind: "too_large", row: null });
  expect(problemOf(card("FN:a").repeat(rows + 1))).toEqual({ kind: "too_many_rows", row: rows + 1 });
  expect(problemOf(card(`NOTE:${"n".repeat(bytes)}`))).toEqual({ kind: "too_large", row: null });
});
