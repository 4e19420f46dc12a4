import type { ColumnMap } from "./deck-columns.ts";
import type { DeckColumn } from "./header-words.ts";
import { plainHeader } from "./header-words.ts";

/** Differences named in a sentence. */
const MAX_NAMED = 6;
const HEADER_LENGTH = 100;

/** A column of a deck file: its header, how it is read, and whether an operator said so. */
interface LayoutColumn {
  readonly header: string;
  /** Null for a column that is not read. */
  readonly column: DeckColumn | null;
  readonly isGiven: boolean;
  /** The values that an operator chose to ignore. Without them, or with others, the next file asks again. */
  readonly values?: readonly string[];
}

/** The columns of a deck file, in their order. */
export type ColumnLayout = readonly LayoutColumn[];

/** What the next file of the same carrier is compared with. */
export interface EarlierFile {
  readonly layout: ColumnLayout;
  /** Texts of the notices that operators have read. */
  readonly notices: readonly string[];
}

/** The meanings that an operator gave to columns of an earlier file. */
export function givenColumns(layout: ColumnLayout): ColumnMap {
  return new Map(
    layout.flatMap(({ header, column, isGiven }): [string, DeckColumn | null][] =>
      isGiven ? [[plainHeader(header), column]] : [],
    ),
  );
}

/** A header as it is stored. */
export function storedHeader(header: string): string {
  return header.trim().slice(0, HEADER_LENGTH);
}

/** How the columns of a file differ from those of an earlier one, in words; empty if they are the same. */
export function compareLayouts(before: ColumnLayout, after: ColumnLayout): string[] {
  const old = before.map(({ header }) => plainHeader(header));
  const fresh = after.map(({ header }) => plainHeader(header));
  const found: string[] = [];
  for (const [place, name] of old.entries()) {
    const now = fresh[place];
    if (name === now) continue;
    const header = before[place]?.header ?? "";
    if (fresh.includes(name)) found.push(`"${header}" was column ${place + 1} and is column ${fresh.indexOf(name) + 1}`);
    else if (now !== undefined && !old.includes(now))
      found.push(`column ${place + 1} was "${header}" and is "${after[place]?.header}"`);
    else found.push(`"${header}" is gone`);
  }
  for (const [place, name] of fresh.entries()) {
    const isReplacement = old[place] !== undefined && !fresh.includes(old[place]);
    if (!old.includes(name) && !isReplacement) found.push(`"${after[place]?.header}" is new in column ${place + 1}`);
  }
  const more = found.length - MAX_NAMED;
  return more > 0 ? [...found.slice(0, MAX_NAMED), `and ${more} more`] : found;
}
