import { cleanLine, cleanText } from "../clean-text.ts";

export const phoneTypes = ["mobile", "work", "home", "other"] as const;
export type PhoneType = (typeof phoneTypes)[number];

/** A number as a file writes it, in any form. */
export interface FileNumber {
  readonly text: string;
  readonly type: PhoneType;
}

/** One row of a table or one card. Texts are trimmed; missing ones are "". */
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
}

/** Why a file is refused as a whole. */
export const fileProblemKinds = [
  "too_large",
  "too_many_rows",
  "too_many_columns",
  "cell_too_long",
  /** A cell begins with a quote that never ends. */
  "unclosed_quote",
  /** A table of which no column holds phone numbers. */
  "no_phone_column",
] as const;
export type FileProblemKind = (typeof fileProblemKinds)[number];

export interface FileProblem {
  readonly kind: FileProblemKind;
  /** Where, from 1; null when it is the whole file. */
  readonly row: number | null;
}

/** Yields rows one by one, so that the reader can pause between them. Returns the file's problem, or null. */
export type Reading<Row> = Generator<Row, FileProblem | null, void>;

/**
 * Splits a full name at the first space. Joined by a space the parts are the name again.
 */
export function splitName(fullName: string): { firstName: string; lastName: string } {
  const name = oneLine(fullName);
  const space = name.indexOf(" ");
  return space === -1 ? { firstName: name, lastName: "" } : { firstName: name.slice(0, space), lastName: name.slice(space + 1) };
}

/** A text of a file on one line (`cleanLine`). */
export function oneLine(text: string): string {
  return cleanLine(text.toWellFormed());
}

/** A text of a file with its lines (`cleanText`). */
export function severalLines(text: string): string {
  return cleanText(text.toWellFormed()).trim();
}

/**
 * Fills a missing first name with the company, or with the family name alone.
 * @returns the names with the first one filled, where anything can fill it
 */
export function withFirstName<Names extends { firstName: string; lastName: string; company: string }>(names: Names): Names {
  if (names.firstName !== "") return names;
  if (names.lastName !== "") return { ...names, firstName: names.lastName, lastName: "" };
  return { ...names, firstName: names.company, company: "" };
}
