import { countriesNamed } from "@farline/domain/countries/find-countries.ts";
import { mapDetails, MAX_CONTACTS, MAX_NUMBERS_PER_CONTACT } from "@farline/domain/contacts/contact-details.ts";
import { isFoundBy, searchKey, searchWords } from "@farline/domain/contacts/fold-text.ts";
import fc from "fast-check";
import { sql } from "kysely";
import type { Contact } from "@farline/contract/contacts.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { contactWorld, type BookOwner, type ContactWorld } from "../../test/worlds/contact-world.ts";
import { contactNames, contactNumbers, contactNumbersFor } from "./contacts.ts";

const LONDON = "+442079460000";
const PARIS = "+33199000142";

let world: ContactWorld;
beforeAll(async () => {
  world = await contactWorld();
});
afterAll(() => world.close());

const list = async (owner: BookOwner, query = "") =>
  (await world.request(owner, "GET", `/api/contacts${query}`)).json<{
    contacts: Contact[];
    next_cursor: string | null;
    total: number;
  }>();
const names = async (owner: BookOwner, query: string) => (await list(owner, query)).contacts.map((one) => one.full_name);

test("a new contact is stored with its country and call price", async () => {
  const owner = await world.owner();
  const contact = await world.add(owner, {
    first_name: "  Ann  Mary ",
    last_name: "Fletcher",
    ...mapDetails(() => ""),
    email: "ann@example.com",
    phone_number: "0044 20 7946 0000",
    phone_number_type: "work",
    notes: "Ask for\r\nthe desk",
  });
  expect(contact).toEqual({
    id: contact.id,
    first_name: "Ann Mary",
    last_name: "Fletcher",
    full_name: "Ann Mary Fletcher",
    ...mapDetails(() => null),
    email: "ann@example.com",
    phone_number: LONDON,
    extension: "",
    phone_number_type: "work",
    notes: "Ask for\nthe desk",
    favorite: false,
    country_code: "GB",
    country_name: "United Kingdom",
    rate_per_minute: expect.stringMatching(/^\d+\.\d{4}$/),
    first_interval_s: expect.any(Number),
    next_interval_s: expect.any(Number),
    other_numbers: [],
    time_zone: "Europe/London",
  });
  expect(await list(owner)).toEqual({ contacts: [contact], next_cursor: null, total: 1 });
});

test("a contact can be edited, toggled as favourite and deleted", async () => {
  const owner = await world.owner();
  const { id } = await world.add(owner, {
    first_name: "Ann",
    last_name: "Old",
    notes: "old",
    phone_number: LONDON,
    favorite: true,
  });
  const change = { first_name: "Anna", phone_number: "020 7946 0001", country_code: "GB", phone_number_type: "home" };
  const changed = (await world.request(owner, "PUT", `/api/contacts/${id}`, change)).json<{ contact: Contact }>().contact;
  expect(changed).toMatchObject({
    id,
    full_name: "Anna",
    last_name: null,
    notes: null,
    phone_number: "+442079460001",
    phone_number_type: "home",
    favorite: true,
  });
  for (const favorite of [false, true]) {
    const answer = await world.request(owner, "POST", `/api/contacts/${id}/favorite`);
    expect([answer.statusCode, answer.json<{ contact: Contact }>().contact.favorite]).toEqual([200, favorite]);
  }
  expect((await world.request(owner, "DELETE", `/api/contacts/${id}`)).statusCode).toBe(204);
  expect(await list(owner)).toEqual({ contacts: [], next_cursor: null, total: 0 });
});

test("a duplicate contact is refused at its number, but another customer may have the number", async () => {
  const owner = await world.owner();
  await world.add(owner, { first_name: "Ann", last_name: "Fletcher", phone_number: LONDON });
  const other = await world.add(owner, { first_name: "Bob", phone_number: PARIS });
  const { id: shared } = await world.add(owner, { first_name: "Ben", phone_number: LONDON });
  const text = "You already have this number as Ann Fletcher.";
  const taken = { first_name: "ann", last_name: "Fletcher", phone_number: "00442079460000" };
  for (const answer of [
    await world.request(owner, "POST", "/api/contacts", taken),
    await world.request(owner, "PUT", `/api/contacts/${other.id}`, taken),
  ])
    expect([answer.statusCode, answer.json()]).toEqual([
      409,
      expect.objectContaining({ code: "conflict", message: text, errors: { phone_number: [text] } }),
    ]);
  await world.add(await world.owner(), taken);
  const named = async () => (await contactNames(world.database.handle.db, owner.id, [LONDON])).get(LONDON);
  expect(await named()).toBe("Ann Fletcher, Ben");
  await world.add(owner, { first_name: "Cy", phone_number: LONDON });
  expect(await named()).toBe("Ann Fletcher, Ben, …");
  expect((await world.request(owner, "DELETE", `/api/contacts/${shared}`)).statusCode).toBe(204);
  expect(await named()).toBe("Ann Fletcher, Cy");
});

test("an extension is stored, changed and removed with its number", async () => {
  const owner = await world.owner();
  const desk = await world.add(owner, {
    first_name: "Desk",
    phone_number: `${LONDON} ext. 12`,
    other_numbers: [{ phone_number: `${LONDON},,13` }, { phone_number: LONDON }, { phone_number: `${LONDON} x12` }],
  });
  const extensions = ({ extension, other_numbers }: Contact) => [extension, ...other_numbers.map((number) => number.extension)];
  expect(extensions(desk)).toEqual([",,12", ",,13", ""]);
  const body = { first_name: "Desk", phone_number: `${LONDON},1,2#`, other_numbers: [] };
  const changed = (await world.request(owner, "PUT", `/api/contacts/${desk.id}`, body)).json<{ contact: Contact }>().contact;
  expect([changed.phone_number, ...extensions(changed)]).toEqual([LONDON, ",1,2#"]);
});

test("a contact may have several numbers with types and prices, and is found and named by each", async () => {
  const owner = await world.owner();
  const contact = await world.add(owner, {
    first_name: "Ann",
    phone_number: LONDON,
    other_numbers: [
      { phone_number: "01 99 00 01 42", country_code: "FR", phone_number_type: "home" },
      { phone_number: "+44 20 7946 0000" },
      { phone_number: "+233200000142" },
    ],
  });
  expect([contact, ...contact.other_numbers]).toMatchObject([
    { phone_number: LONDON, phone_number_type: "mobile" },
    { phone_number: PARIS, phone_number_type: "home", country_code: "FR", country_name: "France" },
    { phone_number: "+233200000142", phone_number_type: "mobile", rate_per_minute: expect.stringMatching(/^\d/) },
  ]);
  expect(contact.other_numbers).toHaveLength(2);
  expect((await list(owner, "?search=0142")).contacts).toEqual([contact]);
  const { db } = world.database.handle;
  expect(await contactNames(db, owner.id, [PARIS])).toEqual(new Map([[PARIS, "Ann"]]));
  expect(await contactNumbers(db, owner.id, contact.id)).toEqual([LONDON, PARIS, "+233200000142"]);
  const change = async (body: object) =>
    (await world.request(owner, "PUT", `/api/contacts/${contact.id}`, body)).json<{ contact: Contact }>().contact;
  expect(await change({ first_name: "Anna", phone_number: LONDON })).toEqual({
    ...contact,
    first_name: "Anna",
    full_name: "Anna",
  });
  const swapped = await change({ first_name: "Anna", phone_number: PARIS, other_numbers: [{ phone_number: LONDON }] });
  expect([swapped.phone_number, swapped.phone_number_type]).toEqual([PARIS, "home"]);
  expect(swapped.other_numbers.map((number) => number.phone_number)).toEqual([LONDON]);
  expect((await change({ first_name: "Anna", phone_number: PARIS, other_numbers: [] })).other_numbers).toEqual([]);
});

test("an additional number that is invalid or a duplicate is refused at its own field", async () => {
  const owner = await world.owner();
  await world.add(owner, { first_name: "Bob", phone_number: "+442079460009", other_numbers: [{ phone_number: PARIS }] });
  const refused = async (other_numbers: object[]) => {
    const answer = await world.request(owner, "POST", "/api/contacts", {
      first_name: "Bob",
      phone_number: LONDON,
      other_numbers,
    });
    return [answer.statusCode, Object.entries(answer.json<{ errors: Record<string, string[]> }>().errors)[0]];
  };
  expect(await refused([{ phone_number: "+442079460001" }, { phone_number: PARIS }])).toEqual([
    409,
    ["other_numbers.1.phone_number", ["You already have this number as Bob."]],
  ]);
  expect(await refused([{ phone_number: "020 7946 0000" }])).toEqual([
    422,
    ["other_numbers.0.phone_number", ["Choose a country, or type the number with + and its country code."]],
  ]);
  expect(await refused([{ phone_number: "" }])).toEqual([422, ["other_numbers.0.phone_number", ["Please enter a phone number"]]]);
  const many = Array.from({ length: MAX_NUMBERS_PER_CONTACT }, (_, i) => ({ phone_number: `+4420794601${i + 10}` }));
  expect(await refused(many)).toEqual([422, ["other_numbers", ["A contact can have up to 20 numbers."]]]);
  expect((await list(owner)).total).toBe(1);
});

test("invalid contacts are refused at the invalid field", async () => {
  const owner = await world.owner();
  const good = { first_name: "Ann", phone_number: LONDON };
  const wrong: [object, string, string][] = [
    [{ first_name: " " }, "first_name", "Enter a first name."],
    [{ first_name: "\u3164\u200d" }, "first_name", "Enter a first name."],
    [{ first_name: "\u0007" }, "first_name", "Enter a first name."],
    [{ first_name: "a".repeat(101) }, "first_name", "The first name can have up to 100 characters."],
    [{ phone_number: "" }, "phone_number", "Please enter a phone number"],
    [{ phone_number: "nobody" }, "phone_number", "This is not a phone number. Check its digits."],
    [{ phone_number: "020 7946 0000" }, "phone_number", "Choose a country, or type the number with + and its country code."],
    [{ email: "ann" }, "email", "Enter an email address like name@example.com."],
    [{ notes: "n".repeat(2001) }, "notes", "The notes can have up to 2000 characters."],
  ];
  for (const [change, field, text] of wrong) {
    const answer = await world.request(owner, "POST", "/api/contacts", { ...good, ...change });
    expect([answer.statusCode, answer.json<{ errors: Record<string, string[]> }>().errors[field]?.[0]]).toEqual([422, text]);
  }
  const emergency = await world.request(owner, "POST", "/api/contacts", { ...good, phone_number: "112" });
  expect([emergency.statusCode, emergency.json().code]).toEqual([403, "emergency_number"]);
  expect((await list(owner)).total).toBe(0);
});

/** Letters, marks and punctuation of many scripts, and what SQL gives a meaning of its own. */
const WIDE = [..."aeouäöüßøåæıİłđñ éşжёйіıבםְאإىيکكةءـُकि़न्िंहกำ김ㄱㅁ민ㅏアがｱ田 中.,'’-&()%_\\@*\u200d\u0301٣9"];

test("the database finds by the same rule as the browser, in any alphabet", async () => {
  const owner = await world.owner();
  const text = fc.string({ unit: fc.constantFrom(...WIDE), minLength: 1, maxLength: 12 });
  const given = fc.sample(text, { numRuns: 120, seed: 45 }).filter((name) => name.trim() !== "");
  for (const [index, first_name] of given.entries())
    await world.add(owner, { first_name, phone_number: `+1212555${1000 + index}` });
  const stored = (await list(owner, "?limit=200")).contacts.map((one) => one.full_name);
  await fc.assert(
    fc.asyncProperty(fc.oneof(text, fc.constantFrom(...stored)), async (typed) => {
      const words = searchWords(typed);
      if (words.length === 0 || /[\d٣]/.test(typed)) return;
      const expected = stored.filter((name) => isFoundBy(searchKey(name), words.slice(0, 8)));
      // If no contact's own text matches, a country's name or code finds the contacts there.
      if (expected.length === 0 && countriesNamed(typed).length > 0) return;
      const found = await names(owner, `?limit=200&search=${encodeURIComponent(typed)}`);
      expect(found.toSorted()).toEqual(expected.toSorted());
    }),
    { numRuns: 150 },
  );
});

test("a search matches words in all fields, ignoring accents and order, and national or international digits", async () => {
  const owner = await world.owner();
  await world.add(owner, {
    first_name: "Lucía",
    last_name: "Fernández",
    phone_number: "+525550000142",
    notes: "Prefers 50% off_peak",
  });
  await world.add(owner, { first_name: "Priya", last_name: "Nair", company: "Nair Textiles", phone_number: "+919800000142" });
  await world.add(owner, { first_name: "Ann", email: "ann@textiles.example", phone_number: LONDON, favorite: true });
  await world.add(owner, { first_name: "Đức", last_name: "O’Neil", phone_number: "+842412345678" });
  await world.add(owner, { first_name: "کریم", phone_number: "+982112345678" });
  const found: [string, string[]][] = [
    ["fernandez lucia", ["Lucía Fernández"]],
    ["FERNÁ", ["Lucía Fernández"]],
    ["textiles", ["Ann", "Priya Nair"]],
    ["nair  text", ["Priya Nair"]],
    ["0142", ["Lucía Fernández", "Priya Nair"]],
    ["020 7946", ["Ann"]],
    ["+44 (0)20", ["Ann"]],
    ["\u202a+44 20 7946\u202c", ["Ann"]],
    ["duc", ["Đức O’Neil"]],
    ["o'neil", ["Đức O’Neil"]],
    ["كريم", ["کریم"]],
    ["+44 20", ["Ann"]],
    ["50%", ["Lucía Fernández"]],
    ["%", ["Lucía Fernández"]],
    ["_p", ["Lucía Fernández"]],
    ["\\", []],
    ["zoe", []],
    ["Mexique", ["Lucía Fernández"]],
    ["UK", ["Ann"]],
    ["वियतनाम", ["Đức O’Neil"]],
    ["fernandez, lucía (pri", []],
    ["fernandez, (luc", ["Lucía Fernández"]],
  ];
  for (const [search, expected] of found)
    expect([search, await names(owner, `?search=${encodeURIComponent(search)}`)]).toEqual([search, expected]);
  expect((await world.request(owner, "GET", "/api/contacts?search=%00")).statusCode).toBe(422);
  expect(await names(owner, "?favorites=true")).toEqual(["Ann"]);
  expect(await names(owner, "?favorites=true&search=nair")).toEqual([]);
});

test("the list is sorted by name, and its pages neither skip nor repeat contacts while others are added or deleted", async () => {
  const owner = await world.owner();
  for (let i = 0; i < 9; i++)
    await world.add(owner, { first_name: i % 2 === 0 ? `Émile ${i}` : `emil ${i}`, phone_number: `+4420794600${i}0` });
  const first = await list(owner, "?limit=4");
  expect(first.total).toBe(9);
  expect(first.contacts.map((one) => one.full_name)).toEqual(["emil 1", "emil 3", "emil 5", "emil 7"]);
  await world.request(owner, "DELETE", `/api/contacts/${first.contacts[3]?.id}`);
  await world.add(owner, { first_name: "Aaron", phone_number: PARIS });
  const second = await list(owner, `?limit=4&cursor=${first.next_cursor}`);
  expect(second.contacts.map((one) => one.full_name)).toEqual(["Émile 0", "Émile 2", "Émile 4", "Émile 6"]);
  const third = await list(owner, `?limit=4&cursor=${second.next_cursor}`);
  expect([third.contacts.map((one) => one.full_name), third.next_cursor]).toEqual([["Émile 8"], null]);
  for (const cursor of ["x", "AAAA", Buffer.from(`${"0".repeat(36)}x`).toString("base64url")])
    expect((await world.request(owner, "GET", `/api/contacts?cursor=${cursor}`)).statusCode).toBe(400);
});

test("customers cannot read, change or delete others' contacts, and visitors cannot read any", async () => {
  const [owner, other] = [await world.owner(), await world.owner()];
  const contact = await world.add(owner, { first_name: "Ann", phone_number: LONDON });
  const change = { first_name: "Eve", phone_number: PARIS };
  const answers = [
    await world.request(other, "PUT", `/api/contacts/${contact.id}`, change),
    await world.request(other, "POST", `/api/contacts/${contact.id}/favorite`),
    await world.request(other, "DELETE", `/api/contacts/${contact.id}`),
    await world.request(other, "DELETE", "/api/contacts/1"),
  ];
  expect(answers.map((answer) => answer.statusCode)).toEqual([404, 404, 404, 404]);
  expect((await list(other)).contacts).toEqual([]);
  expect((await list(owner)).contacts).toEqual([contact]);
  expect((await world.request(null, "GET", "/api/contacts")).statusCode).toBe(401);
  expect((await world.request(null, "POST", "/api/contacts", change)).statusCode).toBe(401);
});

test("the number of contacts is limited, also for concurrent requests", async () => {
  const owner = await world.owner();
  await sql`with added as (
       insert into contact (id, customer_id, first_name, sort_key, search_text, created_at, updated_at)
       select gen_random_uuid(), ${owner.id}, 'Many', 'many', 'many', now(), now() from generate_series(1, ${MAX_CONTACTS - 1}::int) returning id, customer_id
     )
     insert into contact_number (customer_id, contact_id, position, phone_number, phone_number_type, country_code)
     select customer_id, id, 0, '+4420' || (10000000 + row_number() over ()), 'other', 'GB' from added`.execute(
    world.database.handle.db,
  );
  const numbers = Array.from({ length: 6 }, (_, i) => `+3319900014${i}`);
  const answers = await Promise.all(
    numbers.map((phone_number) => world.request(owner, "POST", "/api/contacts", { first_name: "Last", phone_number })),
  );
  expect(answers.filter((answer) => answer.statusCode === 201)).toHaveLength(1);
  expect(answers.filter((answer) => answer.statusCode === 409)).toHaveLength(5);
  expect((await list(owner, "?limit=1")).total).toBe(MAX_CONTACTS);
  const file = { name: "a.csv", content: "first_name,phone_number\nOne,+33199000999\n" };
  expect((await world.upload(owner, file)).json()).toMatchObject({ imported: 0, skipped_by_reason: { list_full: 1 } });
});

test("lookups by number or name return only the customer's own contacts", async () => {
  const [owner, other] = [await world.owner(), await world.owner()];
  const contact = await world.add(owner, { first_name: "Ann", last_name: "Fletcher", phone_number: LONDON });
  const { db } = world.database.handle;
  expect(await contactNames(db, owner.id, [LONDON, LONDON, PARIS])).toEqual(new Map([[LONDON, "Ann Fletcher"]]));
  expect(await contactNames(db, other.id, [LONDON])).toEqual(new Map());
  expect(await contactNumbers(db, owner.id, contact.id)).toEqual([LONDON]);
  expect(await contactNumbers(db, other.id, contact.id)).toEqual([]);
  expect(await contactNumbers(db, owner.id, "1")).toEqual([]);
  expect(await contactNumbersFor(db, owner.id, "fletch")).toEqual([LONDON]);
  expect(await contactNumbersFor(db, other.id, "fletch")).toEqual([]);
});

test("contact changes are limited to sixty a minute", async () => {
  const limited = await contactWorld(1);
  const owner = await limited.owner();
  const path = `/api/contacts/${owner.id}/favorite`;
  for (let i = 0; i < 60; i++) expect((await limited.request(owner, "POST", path)).statusCode).toBe(404);
  expect((await limited.request(owner, "POST", path)).statusCode).toBe(429);
  await limited.close();
});
