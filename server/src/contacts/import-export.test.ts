import { detailNames, mapDetails, MAX_NUMBERS_PER_CONTACT } from "@farline/domain/contacts/contact-details.ts";
import { phoneTypes } from "@farline/domain/contacts/contact-file.ts";
import type { Contact, ImportResponse } from "@farline/contract/contacts.ts";
import { languages } from "@farline/domain/languages.ts";
import { fc, test as property } from "@fast-check/vitest";
import { afterAll, beforeAll, expect, test } from "vitest";
import { contactWorld, type BookOwner, type ContactWorld } from "../../test/worlds/contact-world.ts";

let world: ContactWorld;
beforeAll(async () => {
  world = await contactWorld();
});
afterAll(() => world.close());

const HEAD = "first_name,last_name,phone_number,email,company\n";
const importFile = async (owner: BookOwner, content: string, more: { name?: string; query?: string } = {}) => {
  const answer = await world.upload(owner, { name: more.name ?? "people.csv", content }, more.query);
  if (answer.statusCode !== 200) throw new Error(answer.body);
  return answer.json<ImportResponse>();
};
const add = (owner: BookOwner, contact: object) => world.request(owner, "POST", "/api/contacts", contact);
const book = async (owner: BookOwner) =>
  (await world.request(owner, "GET", "/api/contacts?limit=200"))
    .json<{ contacts: Contact[] }>()
    .contacts.map((contact) => ({ ...contact, id: null }));
const ticketFor = async (owner: BookOwner, format: "table" | "csv" | "vcf") =>
  (await world.request(owner, "POST", "/api/contacts/export-ticket", { format })).json<{ ticket: string }>().ticket;
const exported = async (owner: BookOwner, format: "table" | "csv" | "vcf") =>
  (await world.request(null, "GET", `/api/contacts/export?ticket=${await ticketFor(owner, format)}`)).body;

test("an import adds contacts with valid numbers and gives the reason for each skipped row", async () => {
  const owner = await world.owner();
  await add(owner, { first_name: "Old", last_name: "Friend", phone_number: "+442079460000" });
  const rows = [
    "Ann,Fletcher,+44 20 7946 0001,ann@example.com,Desk",
    "OLD,Friend,0044 20 7946 0000,,",
    ",,+442079460002,,",
    "Cy,,,cy@example.com,",
    "Dee,,12345678,,",
    "Ann,Fletcher,+44 20 7946 0001,,",
    "Fay,,+44 1,,",
    `${"G".repeat(101)},,+442079460003,,`,
    "Hal,,112,,",
    "Ida,,+442079460004,not an address,",
  ];
  const answer = await importFile(owner, HEAD + rows.join("\n"));
  expect(answer).toMatchObject({ imported: 3, skipped: 7, preview: false, changed: 2 });
  expect(answer.changed_rows.map(({ row, repairs }) => [row, repairs])).toEqual([
    [9, ["name_shortened"]],
    [11, ["email_left_out"]],
  ]);
  expect(answer.imported_rows.map(({ row, name, phone_numbers }) => [row, name, phone_numbers])).toEqual([
    [2, "Ann Fletcher", ["+442079460001"]],
    [9, `${"G".repeat(99)}…`, ["+442079460003"]],
    [11, "Ida", ["+442079460004"]],
  ]);
  expect(answer.skipped_rows.map(({ row, reason, other_row }) => [row, reason, other_row])).toEqual([
    [3, "known", null],
    [4, "no_name", null],
    [5, "no_number", null],
    [6, "country_required", null],
    [7, "repeated", 2],
    [8, "invalid_number", null],
    [10, "emergency", null],
  ]);
  expect(answer.skipped_by_reason).toMatchObject({ known: 1, repeated: 1, country_required: 1 });
  expect((await book(owner)).map(({ full_name, email }) => [full_name, email])).toEqual([
    ["Ann Fletcher", "ann@example.com"],
    [`${"G".repeat(99)}…`, null],
    ["Ida", null],
    ["Old Friend", null],
  ]);
});

test("a preview reports the same without changes, and importing a file twice adds no duplicates", async () => {
  const owner = await world.owner();
  const file = `${HEAD}Ann,,+442079460001,,\nBob,,020 7946 0002,,\n`;
  const query = "?preview=true&country=GB";
  const preview = await importFile(owner, file, { query });
  expect(preview).toMatchObject({ imported: 2, skipped: 0, preview: true });
  expect(await book(owner)).toEqual([]);
  expect(await importFile(owner, file, { query: "?country=GB" })).toEqual({ ...preview, preview: false });
  expect(await importFile(owner, file, { query: "?country=GB" })).toMatchObject({
    imported: 0,
    skipped: 2,
    skipped_by_reason: { known: 2 },
  });
  expect(await book(owner)).toHaveLength(2);
});

test("a number of a former plan is imported as today's, or skipped where that is not known", async () => {
  const owner = await world.owner();
  const file = "Name,Phone\nLinh,+84 166 312 4567\nAna,+502 234 5678\n";
  const plan = await importFile(owner, file, { query: "?preview=true" });
  expect(plan.imported_rows).toMatchObject([{ name: "Linh", phone_numbers: ["+84363124567"] }]);
  expect(plan.changed_rows).toEqual([{ row: 2, name: "Linh", repairs: ["number_renewed"] }]);
  expect(plan.skipped_rows).toMatchObject([{ name: "Ana", reason: "renumbered" }]);
});

test("a row's country decides about its number, and the reason names it", async () => {
  const owner = await world.owner();
  const rows = ["Sita,Nepal,9812345678", "Ram,Nepal,+91 98123 45678", "Gita,Wonderland,9812345679", "Hari,,9812345670"];
  const answer = await importFile(owner, `Name,Country,Phone\n${rows.join("\n")}\n`, { query: "?country=IN" });
  expect(answer.imported_rows.map(({ name, phone_numbers }) => [name, phone_numbers])).toEqual([
    ["Sita", ["+9779812345678"]],
    ["Hari", ["+919812345670"]],
  ]);
  expect(answer.skipped_rows.map(({ reason, country }) => [reason, country])).toEqual([
    ["country_contradicts", "Nepal"],
    ["country_unknown", "Wonderland"],
  ]);
});

test("a damaged row or card is held back as a whole", async () => {
  const owner = await world.owner();
  const card =
    "BEGIN:VCARD\nFN:Ann\nTEL:+442079460001\nFN:Bob\nTEL:+442079460002\nEND:VCARD\nBEGIN:VCARD\nFN:Cy\nTEL:+44207946000";
  const answer = await importFile(owner, card, { name: "people.vcf" });
  expect(answer).toMatchObject({ imported: 0, skipped_by_reason: { two_people: 1, cut_off: 1 } });
  expect(await book(owner)).toEqual([]);
});

test("an ambiguous number without a plus is skipped with a reason", async () => {
  const owner = await world.owner();
  const file = "Name,Phone\nAnn,447400123456\nBob,4.47912E+11\nCy,0300 1234567\nDee,+1 212 555\nEve,4917612345678\n";
  const reasons = async (country: string) =>
    (await importFile(owner, file, { query: `?preview=true&country=${country}` })).skipped_rows.map(
      ({ name, reason }) => `${name} ${reason}`,
    );
  expect(await reasons("PK")).toEqual(["Ann ambiguous", "Bob invalid_number", "Dee invalid_number", "Eve ambiguous"]);
  expect(await reasons("DE")).toEqual(expect.arrayContaining(["Ann ambiguous", "Bob invalid_number", "Eve ambiguous"]));
  const { skipped_rows } = await importFile(owner, file, { query: "?preview=true&country=DE" });
  expect(skipped_rows.find(({ name }) => name === "Eve")?.choices).toEqual(["+4917612345678", "+494917612345678"]);
});

test("the preview reports how the file was read, and accepts other columns and another character set", async () => {
  const owner = await world.owner();
  const file = "a,b,c\nNowak,Ola,+48 22 500 0142\n";
  const preview = await importFile(owner, file, { query: "?preview=true" });
  expect(preview.file).toMatchObject({ format: "table", charset: "utf-8", is_mixed: false });
  expect(preview.file?.columns.map(({ head, role }) => `${head} ${role}`)).toEqual(["a first_name", "b last_name", "c phone"]);
  const query = "?columns=last_name,first_name,phone&charset=windows-1251";
  expect(await importFile(owner, file, { query })).toMatchObject({
    imported_rows: [{ name: "Ola Nowak" }],
    file: { charset: "windows-1251", columns: [{ role: "last_name" }, { role: "first_name" }, { role: "phone" }] },
  });
  for (const wrong of ["?columns=phone,nonsense", "?charset=utf-7"])
    expect((await world.upload(owner, { name: "a.csv", content: file }, wrong)).statusCode).toBe(422);
});

test("concurrent imports add every number once", async () => {
  const owner = await world.owner();
  await world.database.warmUp();
  const file = HEAD + Array.from({ length: 50 }, (_, i) => `P${i},,+4420794600${String(i).padStart(2, "0")},,\n`).join("");
  const answers = await Promise.all(Array.from({ length: 5 }, () => importFile(owner, file)));
  expect(answers.map(({ imported }) => imported).toSorted((a, b) => a - b)).toEqual([0, 0, 0, 0, 50]);
  expect(await book(owner)).toHaveLength(50);
});

const CARD = "BEGIN:VCARD\nVERSION:3.0\nFN:Kwame Mensah\nTEL;TYPE=CELL:+233200000142\nTEL;TYPE=WORK:+233302000142\nEND:VCARD\n";
const numbersIn = async (owner: BookOwner) =>
  (await book(owner)).map((contact) => [
    contact.full_name,
    ...[contact, ...contact.other_numbers].map((number) => `${number.phone_number} ${number.phone_number_type}`),
  ]);

test("a card with several numbers becomes one contact with all of them", async () => {
  const owner = await world.owner();
  expect(await importFile(owner, CARD, { name: "kwame.VCF" })).toMatchObject({
    imported: 1,
    skipped: 0,
    imported_rows: [{ phone_numbers: ["+233200000142", "+233302000142"], country_code: "GH" }],
  });
  expect(await numbersIn(owner)).toEqual([["Kwame Mensah", "+233200000142 mobile", "+233302000142 work"]]);
});

test("contacts who share a number are all imported, with their extensions", async () => {
  const owner = await world.owner();
  const file =
    "Name,Phone\nAnna Novak,+44 20 7946 0001\nBen Novak,+44 20 7946 0001\nDesk,+44 20 7946 0002 ext. 12\nDesk,+44 20 7946 0002 ext. 13\n" +
    '"Cy Novak","+44 20 7946 0001,,7"\n';
  expect(await importFile(owner, file)).toMatchObject({ imported: 5, skipped: 0 });
  const written = async (format: "table" | "csv" | "vcf") => (await exported(owner, format)).match(/\+\d+[\\,\d]*/g);
  const numbers = ["+442079460001", "+442079460001", "+442079460001,,7", "+442079460002,,12", "+442079460002,,13"];
  expect((await written("csv"))?.map((number) => number.replace(/,$/, ""))).toEqual(numbers);
  expect(await importFile(owner, file)).toMatchObject({ imported: 0, skipped_by_reason: { known: 5 } });
  for (const format of ["csv", "vcf"] as const)
    expect(await importFile(owner, await exported(owner, format), { name: `again.${format}` })).toMatchObject({ imported: 0 });
  expect(await book(owner)).toHaveLength(5);
});

test("a card's new number is added to the contact of the same name that has another of its numbers", async () => {
  const [owner, other] = [await world.owner(), await world.owner()];
  await add(owner, { first_name: "Kwame", last_name: "Mensah", phone_number: "+233302000142", phone_number_type: "home" });
  await add(other, { first_name: "Ama", phone_number: "+233302000142" });
  expect(await importFile(owner, CARD, { name: "kwame.vcf" })).toMatchObject({
    imported: 1,
    merged: 1,
    imported_rows: [{ name: "Kwame Mensah", phone_numbers: ["+233200000142"], merged: true }],
    skipped_by_reason: { known: 1 },
  });
  expect(await importFile(other, CARD, { name: "kwame.vcf" })).toMatchObject({ imported: 1, skipped: 0 });
  expect(await numbersIn(owner)).toEqual([["Kwame Mensah", "+233302000142 home", "+233200000142 mobile"]]);
  expect(await numbersIn(other)).toEqual([
    ["Ama", "+233302000142 mobile"],
    ["Kwame Mensah", "+233200000142 mobile", "+233302000142 work"],
  ]);
});

test("a card's new numbers become another contact if the existing one has its maximum of numbers", async () => {
  const owner = await world.owner();
  const numbers = Array.from({ length: MAX_NUMBERS_PER_CONTACT }, (_, i) => `+4420794600${i + 10}`);
  const [phone_number, ...others] = numbers;
  const other_numbers = others.map((number) => ({ phone_number: number }));
  await add(owner, { first_name: "Ann", phone_number, other_numbers });
  const card = `BEGIN:VCARD\nFN:Ann\nTEL:${phone_number}\nTEL:+442079460099\nEND:VCARD\n`;
  expect(await importFile(owner, card, { name: "ann.vcf" })).toMatchObject({ imported: 1, skipped_by_reason: { known: 1 } });
  expect((await numbersIn(owner)).map((row) => row.length - 1).toSorted((a, b) => a - b)).toEqual([1, 20]);
});

test("files that are not contact files are refused with an explanation, and nothing is imported", async () => {
  const owner = await world.owner();
  const refused = async (file: { name: string; content: string } | null) => {
    const answer = await world.upload(owner, file);
    return [answer.statusCode, answer.json<{ message: string }>().message];
  };
  const wrongKind = "Please select a CSV or vCard (.vcf) file";
  expect(await refused(null)).toEqual([422, "Please select a file"]);
  expect(await refused({ name: "people.pdf", content: "x" })).toEqual([422, wrongKind]);
  expect(await refused({ name: "a.csv", content: "colour\nred\n" })).toEqual([
    422,
    "No column contains phone numbers. Name the columns first_name, last_name and phone_number.",
  ]);
  const tooMany = HEAD + "A,,+442079460001,,\n".repeat(10_001);
  expect(await refused({ name: "a.csv", content: tooMany })).toEqual([
    422,
    "Row 10002 is over the limit: a file can have up to 10000 contacts.",
  ]);
  expect(await refused({ name: "a.csv", content: "x".repeat(5 * 1024 * 1024 + 1) })).toEqual([
    413,
    "A file can have up to 5 MB, or 20 MB with pictures.",
  ]);
  expect(await refused({ name: "a.csv", content: "x".repeat(21 * 1024 * 1024) })).toEqual([
    413,
    "A file can have up to 5 MB, or 20 MB with pictures.",
  ]);
  const answer = await world.upload(owner, { name: "a.csv", content: "colour\nred\n" }, "?preview=true");
  expect(answer.json()).toMatchObject({ imported: 0, skipped: 0, problem: { kind: "no_phone_column", row: 1 } });
  expect(await book(owner)).toEqual([]);
});

test("a malformed form is refused, and a visitor's file is not read", async () => {
  const owner = await world.owner();
  const headers = { authorization: `Bearer ${owner.token}`, "content-type": "multipart/form-data; boundary=x" };
  const broken = await world.app.inject({ method: "POST", url: "/api/contacts/import", headers, payload: "--y\r\nnothing" });
  expect([broken.statusCode, broken.json().code]).toEqual([400, "malformed_request"]);
  const huge = { name: "a.csv", content: "x".repeat(6 * 1024 * 1024) };
  expect((await world.upload(null, huge)).statusCode).toBe(401);
});

test("a download needs a ticket, which is valid once, for a minute, and only for its owner's contacts", async () => {
  const [owner, other] = [await world.owner(), await world.owner()];
  await add(owner, { first_name: "Ann", phone_number: "+442079460001" });
  const ticket = await ticketFor(owner, "csv");
  const download = await world.request(other, "GET", `/api/contacts/export?token=${await ticketFor(other, "csv")}`);
  expect(download.body).not.toContain("Ann");
  const first = await world.request(null, "GET", `/api/contacts/export?ticket=${ticket}`);
  expect(first.statusCode).toBe(200);
  expect(first.headers).toMatchObject({
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": 'attachment; filename="farline-contacts-2026-03-01.csv"',
    "cache-control": "no-store",
  });
  expect(first.body).toBe(
    `\uFEFF"first_name","last_name","phone_number","phone_number_type","email","${detailNames.join('","')}","notes","favorite"\r\n` +
      `"Ann","","+442079460001","mobile","",${detailNames.map(() => '""').join(",")},"","false"\r\n`,
  );
  expect((await world.request(null, "GET", `/api/contacts/export?ticket=${ticket}`)).json().code).toBe("link_expired");
  const late = await ticketFor(owner, "csv");
  world.clock.advance(60_001);
  expect((await world.request(null, "GET", `/api/contacts/export?token=${late}`)).json().code).toBe("link_expired");
  expect((await world.request(null, "GET", "/api/contacts/export")).statusCode).toBe(422);
});

test("the specified download with a session token in the URL works only from our own pages", async () => {
  const owner = await world.owner();
  await add(owner, { first_name: "Ann", phone_number: "+442079460001" });
  const url = `/api/contacts/export?token=${owner.token}`;
  const from = async (site: string | null) =>
    (await world.app.inject({ method: "GET", url, headers: site === null ? {} : { "sec-fetch-site": site } })).statusCode;
  expect([await from(null), await from("same-origin"), await from("none")]).toEqual([200, 200, 200]);
  expect([await from("cross-site"), await from("same-site")]).toEqual([422, 422]);
  expect((await world.request(null, "GET", "/api/contacts/export?token=fl_nobody")).statusCode).toBe(401);
});

/** Any text a contact can hold, of up to two UTF-16 units a character; input with NUL is refused. */
const text = fc.string({ unit: "binary", maxLength: 45 }).map((any) => any.replaceAll("\0", ""));
const nasty = fc.oneof(
  text,
  fc.tuple(fc.constantFrom("=", "+", "-", "@", "'=", "''+", "\t=", '"', ";", ","), text).map((parts) => parts.join("")),
);

property.prop(
  [
    fc.array(
      fc.record({
        first_name: nasty.map((name) => `n${name}`),
        last_name: nasty,
        ...mapDetails(() => nasty),
        notes: nasty,
        favorite: fc.boolean(),
        types: fc.array(fc.constantFrom(...phoneTypes), { minLength: 1, maxLength: 4 }),
      }),
      { minLength: 1, maxLength: 5 },
    ),
  ],
  { numRuns: 25 },
)("an exported address book imports as it was, from both formats", async (people) => {
  const owner = await world.owner();
  for (const [index, { types, ...person }] of people.entries()) {
    const numbers = types.map((type, at) => ({ phone_number: `+4420794600${index}${at}`, phone_number_type: type }));
    const [main, ...other_numbers] = numbers;
    expect((await add(owner, { ...person, ...main, other_numbers })).statusCode).toBe(201);
  }
  const before = await book(owner);
  for (const format of ["csv", "vcf"] as const) {
    const file = await exported(owner, format);
    const heir = await world.owner();
    expect(await importFile(heir, file, { name: `book.${format}` })).toMatchObject({ imported: people.length, skipped: 0 });
    expect(await book(heir)).toEqual(before);
  }
});

test.each(languages)("a table in the customer's language (%s) imports as it was", async (language) => {
  const owner = await world.owner();
  await world.database.handle.db.updateTable("customer").set({ language }).where("id", "=", owner.id).execute();
  const numbers = phoneTypes.map((type, at) => ({ phone_number: `+44207946000${at}`, phone_number_type: type }));
  const [main, ...other_numbers] = numbers;
  await add(owner, {
    first_name: "Ann",
    last_name: "Lee; Jr",
    company: "Desk, Ltd",
    notes: "a\nb",
    favorite: true,
    ...main,
    other_numbers,
  });
  await add(owner, { first_name: "Bob", email: "bob@example.com", phone_number: "+442079460009 ext. 12" });
  const file = await exported(owner, "table");
  expect(file.startsWith(language === "fr" ? '\uFEFF"Prénom";"Nom de famille";' : "\uFEFF")).toBe(true);
  const heir = await world.owner();
  expect(await importFile(heir, file, { name: "book.csv" })).toMatchObject({ imported: 2, skipped: 0, changed: 0 });
  expect(await book(heir)).toEqual(await book(owner));
});

test("no exported cell runs as a formula", async () => {
  const owner = await world.owner();
  for (const [index, first_name] of ["=1+1", "+1;2", "-1+1", "@SUM(A1)", '"=1'].entries())
    await add(owner, { first_name, company: "\t=2", phone_number: `+4420794600${index}0` });
  const file = await exported(owner, "csv");
  const cells = [...file.matchAll(/"((?:[^"]|"")*)"/g)].map(([, cell = ""]) => cell.replaceAll('""', '"'));
  for (const cell of cells) expect(cell).not.toMatch(/^(?!\+\d{5,15}$)[=+\-@\t\r]/);
});

test("imports are limited to six an hour and downloads to ten, and previews do not count", async () => {
  const limited = await contactWorld(1);
  const owner = await limited.owner();
  const file = { name: "a.csv", content: `${HEAD}Ann,,+442079460001,,\n` };
  for (let i = 0; i < 6; i++) expect((await limited.upload(owner, file)).statusCode).toBe(200);
  expect((await limited.upload(owner, file)).statusCode).toBe(429);
  expect((await limited.upload(owner, file, "?preview=true")).statusCode).toBe(200);
  for (let i = 0; i < 10; i++)
    expect((await limited.request(owner, "POST", "/api/contacts/export-ticket", {})).statusCode).toBe(200);
  expect((await limited.request(owner, "POST", "/api/contacts/export-ticket", {})).statusCode).toBe(429);
  await limited.close();
});
