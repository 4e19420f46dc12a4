import { sql, type Expression, type ExpressionBuilder, type SqlBool } from "kysely";
import { jsonArrayFrom } from "kysely/helpers/postgres";
import type { ContactDetail } from "@farline/domain/contacts/contact-details.ts";
import type { Transaction, Tx } from "../platform/database/database.ts";
import type { Tables } from "../platform/database/tables.ts";
import type { ContactRow, NumberFacts } from "./contacts.tables.ts";

/** A contact's stored fields. */
export type ContactFacts = Pick<
  ContactRow,
  ContactDetail | "first_name" | "last_name" | "email" | "numbers" | "notes" | "favorite" | "sort_key" | "search_text"
>;

/** All filters apply together. */
export interface ContactSearch {
  /** Folded words that must all match. */
  readonly words: readonly string[];
  /** Or digits that match a number. */
  readonly digits: string | null;
  /** Where one of the numbers leads; null for everywhere. */
  readonly countryCodes: readonly string[] | null;
  readonly favoritesOnly: boolean;
}

export const ALL_CONTACTS: ContactSearch = { words: [], digits: null, countryCodes: null, favoritesOnly: false };

/** The last contact of the previous page. */
export interface After {
  readonly sortKey: string;
  readonly id: string;
}

type OfContacts = ExpressionBuilder<Tables, "contact">;

/** The customer's contacts with their numbers. */
function contactsOf(tx: Tx, customerId: string) {
  return tx
    .selectFrom("contact")
    .selectAll()
    .select((eb) =>
      jsonArrayFrom(
        eb
          .selectFrom("contact_number")
          .select(["phone_number", "extension", "phone_number_type", "country_code"])
          .whereRef("contact_id", "=", "contact.id")
          .orderBy("position"),
      )
        // Contacts are written together with at least one number.
        .$castTo<ContactRow["numbers"]>()
        .as("numbers"),
    )
    .where("customer_id", "=", customerId);
}

export function readContactPage(
  tx: Tx,
  customerId: string,
  { search, after, limit }: { search: ContactSearch; after: After | null; limit: number },
): Promise<ContactRow[]> {
  let query = contactsOf(tx, customerId).where((eb) => matching(eb, search));
  if (after !== null)
    query = query.where((eb) =>
      eb(eb.refTuple("sort_key", "id"), ">", eb.tuple(sql<string>`${after.sortKey}`, sql<string>`${after.id}::uuid`)),
    );
  return query.orderBy("sort_key").orderBy("id").limit(limit).execute();
}

export async function countContacts(tx: Tx, customerId: string, search: ContactSearch): Promise<number> {
  const { count } = await tx
    .selectFrom("contact")
    .select((eb) => eb.fn.countAll<bigint>().as("count"))
    .where("customer_id", "=", customerId)
    .where((eb) => matching(eb, search))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Numbers of contacts that match every word. */
export async function findNumbers(tx: Tx, customerId: string, search: ContactSearch, limit: number): Promise<string[]> {
  const rows = await tx
    .selectFrom("contact")
    .innerJoin("contact_number", "contact_number.contact_id", "contact.id")
    .select("phone_number")
    .where("contact.customer_id", "=", customerId)
    .where((eb) => matching(eb, search))
    .limit(limit)
    .execute();
  return rows.map((row) => row.phone_number);
}

function matching(eb: OfContacts, { words, digits, countryCodes, favoritesOnly }: ContactSearch): Expression<SqlBool> {
  const inTexts = eb.and(words.map((word) => eb("search_text", "like", containing(word))));
  const found =
    digits === null ? inTexts : eb.or([inTexts, eb.exists(numbersOf(eb).where("phone_number", "like", containing(digits)))]);
  const there = countryCodes === null ? [] : [eb.exists(numbersOf(eb).where("country_code", "in", countryCodes))];
  return eb.and([found, ...there, ...(favoritesOnly ? [eb("favorite", "=", true)] : [])]);
}

function numbersOf(eb: OfContacts) {
  return eb.selectFrom("contact_number").select("position").whereRef("contact_id", "=", "contact.id");
}

function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, "\\$&")}%`;
}

export function findContact(tx: Tx, customerId: string, id: string): Promise<ContactRow | undefined> {
  return contactsOf(tx, customerId).where("id", "=", id).executeTakeFirst();
}

/** A number and its contact. `count` is how many numbers the contact has. */
export interface KnownNumber extends Pick<ContactRow, "id" | "first_name" | "last_name"> {
  readonly phone_number: string;
  readonly extension: string;
  readonly count: number;
}

/** The customer's contacts with any of these numbers. */
export async function findContactsOfNumbers(tx: Tx, customerId: string, numbers: readonly string[]): Promise<KnownNumber[]> {
  return tx
    .selectFrom("contact_number")
    .innerJoin("contact", "contact.id", "contact_number.contact_id")
    .select((eb) => [
      "id",
      "phone_number",
      "extension",
      "first_name",
      "last_name",
      eb
        .selectFrom("contact_number as any_number")
        .select((any) => sql<number>`${any.fn.countAll()}::int`.as("count"))
        .whereRef("any_number.contact_id", "=", "contact.id")
        .as("count"),
    ])
    .$narrowType<{ count: number }>()
    .where("contact_number.customer_id", "=", customerId)
    .where("phone_number", "=", sql<string>`any(${numbers})`)
    .execute();
}

/** Names of the customer's contacts with any of these numbers, sorted, at most `limit` per number. */
export async function readNamesOfNumbers(
  tx: Tx,
  customerId: string,
  { numbers, limit }: { numbers: readonly string[]; limit: number },
): Promise<(Pick<ContactRow, "first_name" | "last_name"> & { readonly phone_number: string })[]> {
  const { rows } = await sql<Pick<ContactRow, "first_name" | "last_name"> & { phone_number: string }>`
    select wanted.phone_number, named.first_name, named.last_name
    from unnest(${numbers}::text[]) as wanted (phone_number)
    cross join lateral (
      select first_name, last_name from contact
      where customer_id = ${customerId}
        and id in (select contact_id from contact_number
          where customer_id = ${customerId} and phone_number = wanted.phone_number)
      order by sort_key, id
      limit ${limit}
    ) named`.execute(tx);
  return rows;
}

/** The largest number count among the customer's contacts; 0 without contacts. */
export async function maxNumbersPerContact(tx: Tx, customerId: string): Promise<number> {
  const { last } = await tx
    .selectFrom("contact_number")
    .select((eb) => eb.fn.max("position").as("last"))
    .where("customer_id", "=", customerId)
    .executeTakeFirstOrThrow();
  return last === null ? 0 : last + 1;
}

/** Serialises changes to a customer's contacts until the transaction ends, so that none is duplicated and limits hold. */
export async function lockContactsOf(tx: Transaction, customerId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('contacts ' || ${customerId}::text, 0))`.execute(tx);
}

/** Adds contacts with their numbers. */
export async function insertContacts(
  tx: Transaction,
  customerId: string,
  { contacts, now }: { contacts: readonly (ContactFacts & { id: string })[]; now: Date },
): Promise<void> {
  if (contacts.length === 0) return;
  const rows = contacts.map((contact) => ({ ...contact, customer_id: customerId, created_at: now, updated_at: now }));
  // The row type of the table picks its columns from each object.
  await sql`insert into contact select * from jsonb_populate_recordset(null::contact, ${JSON.stringify(rows)}::jsonb)`.execute(
    tx,
  );
  await insertNumbers(
    tx,
    customerId,
    contacts.map(({ id, numbers }) => ({ id, numbers, from: 0 })),
  );
}

/** Numbers to store for a contact, at positions from `from` on. */
export interface NewNumbers {
  readonly id: string;
  readonly numbers: readonly [NumberFacts, ...NumberFacts[]];
  readonly from: number;
}

/** Adds the numbers that the contact does not have yet. */
export async function insertNumbers(tx: Transaction, customerId: string, given: readonly NewNumbers[]): Promise<void> {
  const rows = given.flatMap(({ id, numbers, from }) =>
    numbers.map((number, index) => ({ contact_id: id, position: from + index, ...number })),
  );
  await sql`
    insert into contact_number (customer_id, contact_id, position, phone_number, extension, phone_number_type, country_code)
    select ${customerId}, contact_id, position, phone_number, extension, phone_number_type, country_code
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (contact_id uuid, position smallint, phone_number text,
      extension text, phone_number_type text, country_code text)`.execute(tx);
}

/** Replaces the fields and numbers of a contact, which must exist. */
export async function updateContact(
  tx: Transaction,
  customerId: string,
  { id, facts: { numbers, ...texts }, clock, now }: { id: string; facts: ContactFacts; clock: string | null; now: Date },
): Promise<void> {
  await tx
    .updateTable("contact")
    .set({ ...texts, time_zone: clock, updated_at: now })
    .where("customer_id", "=", customerId)
    .where("id", "=", id)
    .execute();
  await tx.deleteFrom("contact_number").where("customer_id", "=", customerId).where("contact_id", "=", id).execute();
  await insertNumbers(tx, customerId, [{ id, numbers, from: 0 }]);
}

/** Keeps the clock that the customer chose for the main number. @param clock IANA time zone */
export async function keepClock(tx: Tx, customerId: string, { id, clock }: { id: string; clock: string }): Promise<void> {
  await tx.updateTable("contact").set({ time_zone: clock }).where("customer_id", "=", customerId).where("id", "=", id).execute();
}

/** Toggles a favourite. Returns false if the customer has no such contact. */
export async function toggleFavorite(tx: Tx, customerId: string, { id, now }: { id: string; now: Date }): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("contact")
    .set((eb) => ({ favorite: eb.not("favorite"), updated_at: now }))
    .where("customer_id", "=", customerId)
    .where("id", "=", id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Returns false if the customer has no such contact. */
export async function deleteContact(tx: Tx, customerId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("contact")
    .where("customer_id", "=", customerId)
    .where("id", "=", id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
