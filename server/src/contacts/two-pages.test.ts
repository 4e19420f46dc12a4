import type { Contact } from "@farline/contract/contacts.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { contactWorld, type ContactWorld } from "../../test/worlds/contact-world.ts";

const LONDON = "+442079460000";
const PARIS = "+33199000142";

let world: ContactWorld;
beforeAll(async () => {
  world = await contactWorld();
});
afterAll(() => world.close());

test("of two pages that change a contact, neither undoes what only the other has changed", async () => {
  const owner = await world.owner();
  const accra = "+233200000142";
  const body = { first_name: "Ann", notes: "Old", phone_number: LONDON, phone_number_type: "mobile" };
  const work = (phone_number: string) => ({ phone_number, phone_number_type: "work" });
  const seen = { ...body, company: "Bank", other_numbers: [work(PARIS)] };
  const { id } = await world.add(owner, seen);
  const change = async (changed: object, before: object | null = seen) =>
    (await world.request(owner, "PUT", `/api/contacts/${id}`, { ...seen, ...changed, seen: before })).json<{ contact: Contact }>()
      .contact;
  await change({ notes: "New", other_numbers: [work(PARIS), work(accra)] });
  const both = await change({ last_name: "Lee", company: "", other_numbers: [] });
  expect(both).toMatchObject({ full_name: "Ann Lee", notes: "New", company: null, phone_number: LONDON });
  expect(both.other_numbers.map(({ phone_number }) => phone_number)).toEqual([accra]);
  // The other one has put another number first, with an extension, and has removed the third.
  const swapped = { ...seen, last_name: "Lee", other_numbers: [work(accra)] };
  await change({ ...swapped, phone_number: `${PARIS},,7`, other_numbers: [work(LONDON)] }, swapped);
  const moved = await change({ ...swapped, first_name: "Anna" }, swapped);
  expect([moved.full_name, moved.phone_number, moved.extension]).toEqual(["Anna Lee", PARIS, ",,7"]);
  expect(moved.other_numbers.map(({ phone_number }) => phone_number)).toEqual([LONDON]);
  // Of two changes to one text the later one stays, and if what was seen makes no sense, everything is replaced.
  for (const unread of [null, { first_name: 5 }]) {
    expect((await change({ notes: "Newer" })).notes).toBe("Newer");
    expect((await change({}, unread)).notes).toBe("Old");
  }
});

test("the customer's open pages are told of each change, and of nothing that changes nothing", async () => {
  const owner = await world.owner();
  const told = async (work: () => Promise<unknown>) => {
    const before = world.hints.length;
    await work();
    return world.hints.slice(before);
  };
  const body = { first_name: "Ann", phone_number: LONDON };
  const { id } = await world.add(owner, body);
  const file = { name: "a.csv", content: `Name,Phone\nBen,${PARIS}\n` };
  const changes = [
    () => world.add(owner, { first_name: "Bob", phone_number: LONDON }),
    () => world.request(owner, "PUT", `/api/contacts/${id}`, body),
    () => world.request(owner, "POST", `/api/contacts/${id}/favorite`),
    () => world.request(owner, "DELETE", `/api/contacts/${id}`),
    () => world.upload(owner, file),
  ];
  for (const change of changes) expect(await told(change)).toEqual([[owner.id, "contacts"]]);
  const others = [
    () => world.request(owner, "PUT", `/api/contacts/${id}`, body),
    () => world.request(owner, "POST", `/api/contacts/${id}/favorite`),
    () => world.request(owner, "DELETE", `/api/contacts/${id}`),
    () => world.upload(owner, file, "?preview=true"),
    () => world.request(owner, "GET", "/api/contacts"),
  ];
  for (const other of others) expect(await told(other)).toEqual([]);
});

test("numbers that two pages add are refused if they are too many together", async () => {
  const owner = await world.owner();
  const seen = { first_name: "Ann", phone_number: LONDON, phone_number_type: "mobile", other_numbers: [] };
  const { id } = await world.add(owner, seen);
  const numbers = (from: number) =>
    Array.from({ length: 12 }, (_, index) => ({ phone_number: `+4420794600${from + index}`, phone_number_type: "work" }));
  const change = (other_numbers: object[]) =>
    world.request(owner, "PUT", `/api/contacts/${id}`, { ...seen, other_numbers, seen });
  expect((await change(numbers(10))).statusCode).toBe(200);
  const second = await change(numbers(30));
  expect([second.statusCode, second.json()]).toEqual([
    422,
    expect.objectContaining({ errors: { other_numbers: ["A contact can have up to 20 numbers."] } }),
  ]);
});
