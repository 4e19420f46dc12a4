import type { CharsetLabel } from "./charset/charset-labels.ts";

export const phoneTypes = ["mobile", "work", "home", "other"] as const;
export type PhoneType = (typeof phoneTypes)[number];

/** A number as a file writes it, in any form. */
export interface FileNumber {
  readonly text: string;
  readonly type: PhoneType;
}

/** What a reader mended, shortened or left out to make a contact of a row or card. */
export const repairKinds = [
  /** A card without its first or last line. */
  "card_not_closed",
  /** A quotation mark that is never closed counts as a letter. */
  "quote_not_closed",
  "other_charset",
  "bytes_left_out",
  "name_shortened",
  "company_shortened",
  "notes_shortened",
  "numbers_split",
  /** More numbers than a contact holds. */
  "numbers_left_out",
  /** A number for fax or pager. */
  "fax_left_out",
  "email_left_out",
] as const;
export type RepairKind = (typeof repairKinds)[number];

/** One row of a table or one card. Texts are trimmed, and as long as a contact holds; missing ones are "". */
export interface FileContact {
  /** From 1: the row of the table, its head counted, or the card. */
  readonly row: number;
  readonly firstName: string;
  readonly lastName: string;
  readonly company: string;
  readonly email: string;
  readonly notes: string;
  readonly favorite: boolean;
  readonly numbers: readonly FileNumber[];
  readonly repairs: readonly RepairKind[];
}

/** What a column of a table holds. */
export const columnRoles = [
  "first_name",
  "last_name",
  "full_name",
  "phone",
  "phone_type",
  "email",
  "company",
  "notes",
  "favorite",
  "ignore",
] as const;
export type ColumnRole = (typeof columnRoles)[number];

export interface FileColumn {
  /** Empty in a table without heads. */
  readonly head: string;
  /** The first texts of the column. */
  readonly samples: readonly string[];
  readonly role: ColumnRole;
}

/** How a file was understood, which the user may correct. */
export interface FileFacts {
  readonly format: "cards" | "table";
  /** In a mixed file, of what is not UTF-8. */
  readonly charset: CharsetLabel;
  /** Whether most of the file is UTF-8 and only some is in `charset`. */
  readonly isMixed: boolean;
  /** Empty for cards. */
  readonly columns: readonly FileColumn[];
}

/** The user's corrections; null leaves it to the reader. */
export interface FileChoices {
  readonly charset: CharsetLabel | null;
  readonly columns: readonly ColumnRole[] | null;
}
export const NO_CHOICES: FileChoices = { charset: null, columns: null };

/** Why a file is refused as a whole. */
export const fileProblemKinds = [
  "too_large",
  "too_many_rows",
  "too_many_columns",
  /** A table of which no column holds phone numbers. */
  "no_phone_column",
] as const;
export type FileProblemKind = (typeof fileProblemKinds)[number];

export interface FileProblem {
  readonly kind: FileProblemKind;
  /** Where, from 1; null when it is the whole file. */
  readonly row: number | null;
}

/**
 * Yields rows one by one, and null wherever the caller may pause before the next one: no step between two yields takes long.
 * Returns the file's problem, or null.
 */
export type Reading<Row> = Generator<Row | null, FileProblem | null, void>;
