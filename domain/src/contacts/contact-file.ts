import type { CharsetLabel } from "./charset/charset-labels.ts";
import { detailNames, type ContactDetails } from "./contact-details.ts";

/** Limits of a contact file. */
export const contactFileLimits = {
  /** Without the pictures of cards. */
  bytes: 5 * 1024 * 1024,
  bytesWithPictures: 20 * 1024 * 1024,
  /** Rows of a table without its header, or cards. */
  rows: 10_000,
  /** Outlook writes 92; Google's number grows with the labels in use. */
  columns: 256,
  /** Characters of one cell, or of one value of a card. */
  cellCharacters: 10_000,
} as const;

/** Whether a file name has a supported extension: csv, vcf or txt. */
export function isContactFileName(fileName: string): boolean {
  return /\.(csv|vcf|txt)$/i.test(fileName.trim());
}

export const phoneTypes = ["mobile", "work", "home", "other"] as const;
export type PhoneType = (typeof phoneTypes)[number];

/** What the row of a table says about the country of its numbers. */
export interface StatedCountry {
  /** As written. */
  readonly text: string;
  /** ISO codes, the main country first; empty if the text names no country, or several that differ. */
  readonly codes: readonly string[];
  /** Digits of the dialling code if they include an area, like 1876; else "". */
  readonly prefix: string;
  /** The country of an address says less: it only casts doubt on another reading of the number. */
  readonly isAddress: boolean;
}

/** A number as written in a file. */
export interface FileNumber {
  readonly text: string;
  readonly type: PhoneType;
  /** What the number's row says about its country, or null. */
  readonly stated: StatedCountry | null;
}

/** Why a row or card may mix two people or cut a number, so that none of its numbers can be trusted. */
export const damageKinds = [
  /** Two people in one card, or a row that holds another one. */
  "two_people",
  /** The file or the card ends within a number. */
  "cut_off",
] as const;
export type DamageKind = (typeof damageKinds)[number];

/** What a reader repaired, shortened or dropped to turn a row or card into a contact. */
export const repairKinds = [
  /** A card without its BEGIN or END line. */
  "card_not_closed",
  /** An unclosed quotation mark is read as a character. */
  "quote_not_closed",
  "other_charset",
  "bytes_left_out",
  "name_shortened",
  ...detailNames.map((detail) => `${detail}_shortened` as const),
  "notes_shortened",
  "numbers_split",
  /** More numbers than a contact holds. */
  "numbers_left_out",
  /** A fax or pager number. */
  "fax_left_out",
  /** An extension that cannot be dialled, or whose number is unclear. */
  "extension_left_out",
  "email_left_out",
  /** A number of a former plan. */
  "number_renewed",
] as const;
export type RepairKind = (typeof repairKinds)[number];

/** One row of a table or one card. Texts are trimmed and shortened to a contact's limits; missing ones are "". */
export interface FileContact extends ContactDetails<string> {
  /** From 1: the row of the table, counting its header, or the card. */
  readonly row: number;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly notes: string;
  readonly favorite: boolean;
  readonly numbers: readonly FileNumber[];
  readonly repairs: readonly RepairKind[];
  /** A damaged row or card is held back as a whole. */
  readonly damage: DamageKind | null;
}

export const columnRoles = [
  "first_name",
  "last_name",
  "full_name",
  "phone",
  "phone_type",
  /** A country's name, ISO code or dialling code. */
  "country",
  "address_country",
  "area_code",
  "extension",
  "email",
  ...detailNames,
  "notes",
  "favorite",
  "ignore",
] as const;
export type ColumnRole = (typeof columnRoles)[number];

export interface FileColumn {
  /** The column's header; empty in a table without headers. */
  readonly head: string;
  /** The first texts of the column. */
  readonly samples: readonly string[];
  readonly role: ColumnRole;
}

/** How a file was interpreted, which the user may correct. */
export interface FileFacts {
  readonly format: "cards" | "table";
  /** In a mixed file, the charset of texts that are not UTF-8. */
  readonly charset: CharsetLabel;
  /** Whether most of the file is UTF-8 and the rest is in `charset`. */
  readonly isMixed: boolean;
  /** Empty for cards. */
  readonly columns: readonly FileColumn[];
}

/** The user's corrections; null leaves the choice to the reader. */
export interface FileChoices {
  readonly charset: CharsetLabel | null;
  readonly columns: readonly ColumnRole[] | null;
}
export const NO_CHOICES: FileChoices = { charset: null, columns: null };

/** Why a whole file is rejected. */
export const fileProblemKinds = [
  "too_large",
  "too_many_rows",
  "too_many_columns",
  /** A table without a column of phone numbers. */
  "no_phone_column",
] as const;
type FileProblemKind = (typeof fileProblemKinds)[number];

export interface FileProblem {
  readonly kind: FileProblemKind;
  /** From 1; null if the problem concerns the whole file. */
  readonly row: number | null;
}

/**
 * Yields rows one by one, and null where the caller may pause; the work between two yields is short. Returns the file's problem, or
 * null.
 */
export type Reading<Row> = Generator<Row | null, FileProblem | null, void>;
