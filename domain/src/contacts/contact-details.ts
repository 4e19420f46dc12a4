/**
 * A contact's optional texts of one line, apart from name and email address. Table, API, form, import, export and the register of
 * personal data follow from this list.
 */
export const contactDetails = {
  company: { maxCharacters: 120, cardProperty: "ORG" },
} as const satisfies Readonly<Record<string, { readonly maxCharacters: number; readonly cardProperty: string }>>;

export type ContactDetail = keyof typeof contactDetails;
export type ContactDetails<T> = Readonly<Record<ContactDetail, T>>;

/** In the order of form, table and card. */
export const detailNames = Object.keys(contactDetails) as ContactDetail[];

/** A value for each detail. */
export function mapDetails<T>(valueOf: (detail: ContactDetail) => T): ContactDetails<T> {
  return Object.fromEntries(detailNames.map((detail) => [detail, valueOf(detail)])) as ContactDetails<T>;
}

/** Maximum characters of a contact's other fields. */
export const contactLengths = { first_name: 100, last_name: 100, email: 254, notes: 2000 } as const;

/** An import skips further numbers. */
export const MAX_NUMBERS_PER_CONTACT = 20;

/** Per customer. */
export const MAX_CONTACTS = 10_000;
