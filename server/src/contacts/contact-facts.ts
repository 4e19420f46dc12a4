import { mapDetails, type ContactDetails } from "@farline/domain/contacts/contact-details.ts";
import { oneLine, multiLine } from "@farline/domain/contacts/contact-texts.ts";
import { foldText, searchKey } from "@farline/domain/contacts/fold-text.ts";
import type { ContactFacts } from "./contact.store.ts";

const SORT_CHARACTERS = 80;

/** A contact's fields, from any source. */
interface ContactTexts extends ContactDetails<string | null> {
  readonly firstName: string;
  readonly lastName: string | null;
  readonly email: string | null;
  readonly notes: string | null;
  readonly numbers: ContactFacts["numbers"];
  readonly favorite: boolean;
}

/** Normalises a contact for storage: white space, sort and search keys. */
export function contactFacts(texts: ContactTexts): ContactFacts {
  const firstName = oneLine(texts.firstName);
  const lastName = orNull(oneLine(texts.lastName ?? ""));
  const details = mapDetails((detail) => orNull(oneLine(texts[detail] ?? "")));
  const email = orNull(oneLine(texts.email ?? ""));
  const notes = orNull(multiLine(texts.notes ?? ""));
  const name = fullNameOf({ first_name: firstName, last_name: lastName });
  return {
    first_name: firstName,
    last_name: lastName,
    ...details,
    email,
    notes,
    numbers: texts.numbers,
    favorite: texts.favorite,
    sort_key: [...foldText(name)].slice(0, SORT_CHARACTERS).join(""),
    search_text: searchKey(name, [...Object.values(details), email, notes].filter((text) => text !== null).join(" ")),
  };
}

type NameParts = Pick<ContactFacts, "first_name" | "last_name">;

export function fullNameOf({ first_name, last_name }: NameParts): string {
  return last_name === null ? first_name : `${first_name} ${last_name}`;
}

/** Whether two names are equal, ignoring case and accents. */
export function isSameName(one: NameParts, other: NameParts): boolean {
  return foldText(fullNameOf(one)) === foldText(fullNameOf(other));
}

function orNull(text: string): string | null {
  return text === "" ? null : text;
}
