import { readOwn, writeOwn } from "../../../browser/own-storage.ts";

/** A person of a file on this device: kept in this browser alone, never sent anywhere. */
export interface LocalContact {
  name: string;
  /** Digits, with or without a plus in front. */
  phone: string;
}

/** Far more than an address book holds; the storage of a browser takes 5 MB. */
const MOST_CONTACTS = 5000;
const STORE = "contacts";

export function readLocalContacts(customerId: string): readonly LocalContact[] {
  try {
    const kept: unknown = JSON.parse(readOwn(customerId, STORE) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isContact) : [];
  } catch {
    return []; // Malformed or truncated: treat as empty.
  }
}

/** Keeps the contacts; none forgets the store. */
export function writeLocalContacts(customerId: string, contacts: readonly LocalContact[]): void {
  writeOwn(customerId, STORE, contacts.length === 0 ? null : JSON.stringify(contacts));
}

/**
 * Adds the contacts of a file to those there are. A number that is there already, or comes twice, is passed over
 * (specification §5), as is a contact without a number.
 * @returns the merged list by name, and how many of the file are new in it
 */
export function mergeContacts(
  present: readonly LocalContact[],
  found: readonly { name: string; phone: string }[],
): { contacts: readonly LocalContact[]; added: number } {
  const numbers = new Set(present.map((contact) => contact.phone));
  const added: LocalContact[] = [];
  for (const { name, phone: written } of found) {
    const phone = strippedNumber(written);
    if (phone === "" || numbers.has(phone) || present.length + added.length >= MOST_CONTACTS) continue;
    numbers.add(phone);
    added.push({ name: name.trim() === "" ? phone : name.trim(), phone });
  }
  const contacts = [...present, ...added].toSorted((a, b) => a.name.localeCompare(b.name));
  return { contacts, added: added.length };
}

/** Digits and a plus in front; what follows a pause or the word "ext" is no part of the number. */
function strippedNumber(written: string): string {
  const number = written.replace(/(?:[,;]|ext|x).*$/isu, "");
  const digits = number.replace(/\D/g, "");
  return digits === "" ? "" : (/^\D*\+/.test(number) ? "+" : "") + digits;
}

/** Those whose name or number has what is searched for, the first `most`. Numbers match however they are written. */
export function findContacts(contacts: readonly LocalContact[], search: string, most: number): readonly LocalContact[] {
  const words = search.trim().toLocaleLowerCase();
  const digits = /^[\d\s()+./-]+$/.test(words) ? words.replace(/\D/g, "") : "";
  const found: LocalContact[] = [];
  for (const contact of contacts) {
    if (found.length === most) break;
    if (contact.name.toLocaleLowerCase().includes(words) || (digits !== "" && contact.phone.includes(digits)))
      found.push(contact);
  }
  return found;
}

function isContact(value: unknown): value is LocalContact {
  return typeof value === "object" && value !== null && "name" in value && "phone" in value;
}
