import { sql, type Expression, type ExpressionBuilder, type SqlBool } from "kysely";
import type { Transaction, Tx } from "../platform/database/database.ts";
import type { Tables } from "../platform/database/tables.ts";
import type { ContactRow } from "./contacts.tables.ts";

/** A contact's stored fields. */
export type ContactFacts = Pick<
  ContactRow,
  | "first_name"
  | "last_name"
  | "company"
  | "email"
  | "phone_number"
  | "phone_number_type"
  | "country_code"
  | "notes"
  | "favorite"
  | "sort_key"
  | "search_text"
>;

/** All filters apply together. */
export interface ContactSearch {
  /** Folded words, all of which must be in the texts. */
  readonly words: readonly string[];
  /** Digits that may be in the number instead. */
  readonly digits: string | null;
  readonly favoritesOnly: boolean;
}

/** The contact after which a page of the list begins. */
export interface After {
  readonly sortKey: string;
  readonly id: string;
}

type OfContacts = ExpressionBuilder<Tables, "contact">;

export function readContactPage(
  tx: Tx,
  customerId: string,
  { search, after, limit }: { search: ContactSearch; after: After | null; limit: number },
): Promise<ContactRow[]> {
  let query = tx
    .selectFrom("contact")
    .selectAll()
    .where((eb) => matching(eb, customerId, search));
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
    .where((eb) => matching(eb, customerId, search))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Numbers of contacts whose texts hold every word. */
export async function findNumbers(tx: Tx, customerId: string, search: ContactSearch, limit: number): Promise<string[]> {
  const rows = await tx
    .selectFrom("contact")
    .select("phone_number")
    .where((eb) => matching(eb, customerId, search))
    .limit(limit)
    .execute();
  return rows.map((row) => row.phone_number);
}

function matching(eb: OfContacts, customerId: string, search: ContactSearch): Expression<SqlBool> {
  const words = eb.and(search.words.map((word) => eb("search_text", "like", containing(word))));
  const found = search.digits === null ? words : eb.or([words, eb("phone_number", "like", containing(search.digits))]);
  const mine = eb("customer_id", "=", customerId);
  return eb.and([mine, found, ...(search.favoritesOnly ? [eb("favorite", "=", true)] : [])]);
}

function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, "\\$&")}%`;
}

export function findContact(tx: Tx, customerId: string, id: string): Promise<ContactRow | undefined> {
  return tx.selectFrom("contact").selectAll().where("customer_id", "=", customerId).where("id", "=", id).executeTakeFirst();
}

/** The customer's contacts that have one of these numbers. */
export function findContactsOfNumbers(
  tx: Tx,
  customerId: string,
  numbers: readonly string[],
): Promise<Pick<ContactRow, "id" | "phone_number" | "first_name" | "last_name">[]> {
  return tx
    .selectFrom("contact")
    .select(["id", "phone_number", "first_name", "last_name"])
    .where("customer_id", "=", customerId)
    .where("phone_number", "=", sql<string>`any(${numbers})`)
    .execute();
}

/** Serialises additions for a customer until the transaction ends, so that they respect the limit. */
export async function lockContactsOf(tx: Transaction, customerId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('contacts ' || ${customerId}::text, 0))`.execute(tx);
}

/** Adds contacts; existing numbers are left unchanged. Returns the added ones. */
export async function insertContacts(
  tx: Tx,
  customerId: string,
  { contacts, now }: { contacts: readonly (ContactFacts & { id: string })[]; now: Date },
): Promise<ContactRow[]> {
  if (contacts.length === 0) return [];
  const { rows } = await sql<ContactRow>`
    insert into contact (id, customer_id, first_name, last_name, company, email, phone_number, phone_number_type, country_code,
      notes, favorite, sort_key, search_text, created_at, updated_at)
    select id, ${customerId}, first_name, last_name, company, email, phone_number, phone_number_type, country_code,
      notes, favorite, sort_key, search_text, ${now}, ${now}
    from jsonb_to_recordset(${JSON.stringify(contacts)}::jsonb) as given (id uuid, first_name text, last_name text, company text,
      email text, phone_number text, phone_number_type text, country_code text, notes text, favorite boolean, sort_key text,
      search_text text)
    on conflict (customer_id, phone_number) do nothing
    returning *`.execute(tx);
  return rows;
}

/** Null when the customer has no such contact. Throws database error 23505 when another contact has the number. */
export async function updateContact(
  tx: Tx,
  customerId: string,
  { id, facts, now }: { id: string; facts: ContactFacts; now: Date },
): Promise<ContactRow | undefined> {
  return tx
    .updateTable("contact")
    .set({ ...facts, updated_at: now })
    .where("customer_id", "=", customerId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
}

/** Toggles a favourite. */
export function toggleFavorite(
  tx: Tx,
  customerId: string,
  { id, now }: { id: string; now: Date },
): Promise<ContactRow | undefined> {
  return tx
    .updateTable("contact")
    .set((eb) => ({ favorite: eb.not("favorite"), updated_at: now }))
    .where("customer_id", "=", customerId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
}

/** Returns false when the customer has no such contact. */
export async function deleteContact(tx: Tx, customerId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("contact")
    .where("customer_id", "=", customerId)
    .where("id", "=", id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
