import { isUuid } from "@farline/domain/uuid.ts";
import type { ContactsResponse } from "@farline/contract/contacts.ts";
import { countriesNamed } from "@farline/domain/countries/find-countries.ts";
import { searchWords } from "@farline/domain/contacts/fold-text.ts";
import { searchedDigits } from "@farline/domain/numbers/searched-digits.ts";
import type { Customer } from "../accounts/accounts.ts";
import { pageOf, pageUnknown } from "../platform/read-cursor.ts";
import { ALL_CONTACTS, countContacts, readContactPage, type After, type ContactSearch } from "./contact.store.ts";
import { presentContact } from "./present-contact.ts";
import type { ServiceContext } from "../context.ts";

const MAX_WORDS = 8;

/** A page of the customer's contacts that match the search, sorted by name. */
export async function listContacts(
  { handle, rates }: ServiceContext,
  customer: Customer,
  wanted: { search?: string | undefined; favorites?: boolean | undefined; cursor?: string | undefined; limit: number },
): Promise<ContactsResponse> {
  const after = wanted.cursor === undefined ? null : parseCursor(wanted.cursor);
  const read = async (search: ContactSearch) => {
    const [rows, total] = await Promise.all([
      readContactPage(handle.db, customer.id, { search, after, limit: wanted.limit + 1 }),
      countContacts(handle.db, customer.id, search),
    ]);
    return { rows, total };
  };
  const text = wanted.search ?? "";
  const search = { ...readSearch(text), favoritesOnly: wanted.favorites === true };
  let { rows, total } = await read(search);
  // No name, text or number has it: it may be a country, "UK".
  const countryCodes = total === 0 ? countriesNamed(text) : [];
  if (countryCodes.length > 0)
    ({ rows, total } = await read({ ...ALL_CONTACTS, favoritesOnly: search.favoritesOnly, countryCodes }));
  const { shown, next } = pageOf(rows, wanted.limit, ({ id, sort_key: sortKey }) => makeCursor({ sortKey, id }));
  return { contacts: shown.map((row) => presentContact(row, customer, rates)), next_cursor: next, total };
}

/** Parses a search: words to match in the texts, or digits to match in numbers, national or international. */
export function readSearch(text: string): ContactSearch {
  const words = searchWords(text).slice(0, MAX_WORDS);
  return { ...ALL_CONTACTS, words, digits: searchedDigits(text) };
}

function makeCursor({ sortKey, id }: After): string {
  return Buffer.from(id + sortKey).toString("base64url");
}

function parseCursor(cursor: string): After {
  const text = Buffer.from(cursor, "base64url").toString();
  const [id, sortKey] = [text.slice(0, 36), text.slice(36)];
  if (!isUuid(id) || sortKey.includes("\0")) throw pageUnknown();
  return { id, sortKey };
}
