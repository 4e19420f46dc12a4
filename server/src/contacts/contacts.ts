import { isUuid } from "@farline/domain/uuid.ts";
import type { App } from "../platform/http/http.ts";
import type { Tx } from "../platform/database/database.ts";
import { bookRoutes, exportRoutes, importRoute } from "./contact-routes.ts";
import { fullNameOf } from "./contact-facts.ts";
import { ALL_CONTACTS, findContact, findNumbers, readContactPage, readNamesOfNumbers } from "./contact.store.ts";
import type { NumberFacts } from "./contacts.tables.ts";
import { readSearch } from "./list-contacts.ts";
import { clockOf } from "./present-contact.ts";
import type { ServiceContext } from "../context.ts";

export { keepClock } from "./contact.store.ts";
export { exportContacts } from "./export-contacts.ts";

const MAX_NUMBERS = 1_000;
/** Names shown for a shared number: enough for a household. */
const MAX_NAMES = 2;

/** Everything under `/api/contacts`. */
export function contactRoutes(app: App, ctx: ServiceContext): void {
  bookRoutes(app, ctx);
  importRoute(app, ctx);
  exportRoutes(app, ctx);
}

/**
 * The contact names by number (E.164): "Anna Novak, Ben Novak", or "Anna Novak, Ben Novak, …" for more than two. Omits
 * unknown numbers.
 */
export async function contactNames(tx: Tx, customerId: string, e164s: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (e164s.length === 0) return new Map();
  const rows = await readNamesOfNumbers(tx, customerId, { numbers: [...new Set(e164s)], limit: MAX_NAMES + 1 });
  const names = Map.groupBy(rows, (row) => row.phone_number);
  return new Map([...names].map(([number, people]) => [number, listed(people.map(fullNameOf))]));
}

function listed(names: readonly string[]): string {
  return [...names.slice(0, MAX_NAMES), ...(names.length > MAX_NAMES ? ["…"] : [])].join(", ");
}

/** The numbers of a contact (E.164); none if the customer has no such contact. */
export async function contactNumbers(tx: Tx, customerId: string, contactId: string): Promise<string[]> {
  const row = isUuid(contactId) ? await findContact(tx, customerId, contactId) : undefined;
  return row?.numbers.map((number) => number.phone_number) ?? [];
}

/** A contact's name, and where its main number is. */
export interface ContactPlace {
  readonly first_name: string;
  readonly last_name: string | null;
  readonly country_code: string;
  /** Null if the number can be on one of several clocks. */
  readonly time_zone: string | null;
}

/** Undefined if the customer has no such contact. */
export async function findContactPlace(tx: Tx, customerId: string, contactId: string): Promise<ContactPlace | undefined> {
  const contact = await findContact(tx, customerId, contactId);
  if (contact === undefined) return undefined;
  const { first_name, last_name, numbers } = contact;
  return { first_name, last_name, country_code: numbers[0].country_code, time_zone: clockOf(contact) };
}

/** A number with its contact's full name. */
interface NamedNumber extends NumberFacts {
  readonly name: string;
}

/** Numbers of the contacts that match a search text, sorted by name. For digits, the numbers that contain them. */
export async function findNamedNumbers(tx: Tx, customerId: string, text: string, limit: number): Promise<NamedNumber[]> {
  const search = readSearch(text);
  if (search.words.length === 0) return [];
  const contacts = await readContactPage(tx, customerId, { search, after: null, limit });
  const isWanted = ({ phone_number: e164 }: NumberFacts) => search.digits === null || e164.includes(search.digits);
  return contacts
    .flatMap((contact) => contact.numbers.filter(isWanted).map((number) => ({ ...number, name: fullNameOf(contact) })))
    .slice(0, limit);
}

/** Numbers (E.164) of the contacts whose words match a search text, 1,000 at most. */
export async function contactNumbersFor(tx: Tx, customerId: string, text: string): Promise<string[]> {
  const { words } = readSearch(text);
  return words.length === 0 ? [] : findNumbers(tx, customerId, { ...ALL_CONTACTS, words }, MAX_NUMBERS);
}
