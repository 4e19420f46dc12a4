import { DAY_MS } from "@farline/domain/durations.ts";
import type { SuggestionsResponse } from "@farline/contract/call-history.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addContact } from "../../../test/add-contact.ts";
import { insertPastCalls, type PastCall } from "../../../test/past-calls.ts";
import { createCallWorld, type CallWorld } from "../../../test/worlds/call-world.ts";
import type { Customer } from "../../accounts/accounts.ts";

const [LONDON, LEEDS, ACCRA] = ["+442079460000", "+441134960000", "+233200000142"] as const;

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld({ limitsScale: 0 });
});
afterAll(() => world.close());

const called = (daysAgo: number, destination: string, countryCode: string): Omit<PastCall, "customerId"> => ({
  createdAt: new Date(world.clock.now().getTime() - daysAgo * DAY_MS),
  destination,
  countryCode,
});
async function customerWith(calls: Omit<PastCall, "customerId">[]): Promise<Customer> {
  const customer = await world.customer();
  const past = calls.map((call) => ({ ...call, customerId: customer.id }));
  await insertPastCalls(world.database.handle.db, past);
  return customer;
}
const suggested = async (customer: Customer, search?: string) => {
  const query = search === undefined ? "" : `?search=${encodeURIComponent(search)}`;
  const { body } = await world.request<SuggestionsResponse>(customer, { path: `/api/calls/suggestions${query}` });
  return body.suggestions.map(({ phone_number, name }) => (name === null ? phone_number : `${phone_number} ${name}`));
};

test("an empty search suggests the numbers called this week with contact names, latest first", async () => {
  const customer = await customerWith([
    called(1, LONDON, "GB"),
    called(2, ACCRA, "GH"),
    called(3, LONDON, "GB"),
    called(6.9, "+33199000142", "FR"),
    called(7.1, LEEDS, "GB"),
    called(0.5, "+4411*", "GB"),
  ]);
  await addContact(world.database.handle, customer.id, { firstName: "Ama", number: ACCRA });
  await addContact(world.database.handle, customer.id, { firstName: "Never", lastName: "Called", number: "+442079460009" });
  expect(await suggested(customer)).toEqual([LONDON, `${ACCRA} Ama`, "+33199000142"]);
});

test("digits in national or international form match contacts and numbers called within a year", async () => {
  const customer = await customerWith([called(8, LONDON, "GB"), called(364, LEEDS, "GB"), called(366, "+442079469999", "GB")]);
  await addContact(world.database.handle, customer.id, { firstName: "Ann", number: "+442079461111" });
  await addContact(world.database.handle, customer.id, { firstName: "Lon", lastName: "Don", number: LONDON });
  expect(await suggested(customer, "020 7946")).toEqual([`${LONDON} Lon Don`, "+442079461111 Ann"]);
  expect(await suggested(customer, "+44")).toEqual([`${LONDON} Lon Don`, LEEDS, "+442079461111 Ann"]);
  expect(await suggested(customer, "4")).toEqual([]);
});

test("a name matches contacts, whether called before or not", async () => {
  const customer = await customerWith([called(1, LONDON, "GB")]);
  await addContact(world.database.handle, customer.id, { firstName: "Lucía", lastName: "Fernández", number: LONDON });
  await addContact(world.database.handle, customer.id, { firstName: "Lucas", number: LEEDS });
  expect(await suggested(customer, "luc")).toEqual([`${LEEDS} Lucas`, `${LONDON} Lucía Fernández`]);
  expect(await suggested(customer, "fernandez")).toEqual([`${LONDON} Lucía Fernández`]);
});

test("suggestions are limited to six and to the customer's own calls", async () => {
  const numbers = Array.from({ length: 9 }, (_, i) => `+44207946010${i}`);
  const customer = await customerWith(numbers.map((number, i) => called(i / 10, number, "GB")));
  expect(await suggested(customer, "+4420")).toEqual(numbers.slice(0, 6));
  expect(await suggested(await world.customer(), "+4420")).toEqual([]);
});
