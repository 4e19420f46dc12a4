import { plainDigits } from "@farline/domain/ascii-digits.ts";
import { isFoundBy, searchKey, searchWords } from "@farline/domain/contacts/fold-text.ts";
import { searchedDigits } from "@farline/domain/numbers/searched-digits.ts";
import { readOwn, writeOwn } from "../../../browser/own-storage.ts";

/** A contact imported into this browser. It is stored here only and never sent anywhere. */
export interface LocalContact {
  name: string;
  /** Digits, with or without a leading plus. */
  phone: string;
}

/** More than any address book holds; browsers store 5 MB. */
const MAX_CONTACTS = 5000;
const STORE = "contacts";

export function readLocalContacts(customerId: string): readonly LocalContact[] {
  try {
    const kept: unknown = JSON.parse(readOwn(customerId, STORE) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isContact) : [];
  } catch {
    return []; // Malformed or truncated: treat as empty.
  }
}

/** Stores the contacts; an empty list removes the entry. */
export function writeLocalContacts(customerId: string, contacts: readonly LocalContact[]): void {
  writeOwn(customerId, STORE, contacts.length === 0 ? null : JSON.stringify(contacts));
}

/**
 * Adds contacts of a file. Known and repeated numbers, and contacts without a number, are skipped (specification §5).
 * @returns the merged list, sorted by name, and how many were added
 */
export function mergeContacts(
  present: readonly LocalContact[],
  found: readonly { name: string; phone: string }[],
): { contacts: readonly LocalContact[]; added: number } {
  const numbers = new Set(present.map((contact) => contact.phone));
  const added: LocalContact[] = [];
  for (const { name, phone: written } of found) {
    const phone = strippedNumber(written);
    if (phone === "" || numbers.has(phone) || present.length + added.length >= MAX_CONTACTS) continue;
    numbers.add(phone);
    added.push({ name: name.trim() === "" ? phone : name.trim(), phone });
  }
  const contacts = [...present, ...added].toSorted((a, b) => a.name.localeCompare(b.name));
  return { contacts, added: added.length };
}

/** Digits and a leading plus. A pause or the word "ext" ends the number. */
function strippedNumber(written: string): string {
  const number = written.replace(/(?:[,;]|ext|x).*$/isu, "");
  const digits = plainDigits(number).replace(/\D/g, "");
  return digits === "" ? "" : (/^\D*\+/.test(number) ? "+" : "") + digits;
}

/** The first `most` contacts whose name or number contains the search. Formatting of numbers does not matter. */
export function findContacts(contacts: readonly LocalContact[], search: string, max: number): readonly LocalContact[] {
  const words = searchWords(search);
  const digits = searchedDigits(search);
  const found: LocalContact[] = [];
  for (const contact of contacts) {
    if (found.length === max) break;
    if (isFoundBy(searchKey(contact.name), words) || (digits !== null && contact.phone.includes(digits))) found.push(contact);
  }
  return found;
}

function isContact(value: unknown): value is LocalContact {
  return typeof value === "object" && value !== null && "name" in value && "phone" in value;
}
