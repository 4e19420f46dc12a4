import type { BadRows, DeckFile } from "./read-deck-file.ts";

type Rows = DeckFile["rows"];

/**
 * Completes the prefixes of a file that has a column for the calling code beside them. Where each prefix begins with its row's calling
 * code they are complete; where none does they lack it. A file with both is ambiguous: those that begin with it are bad.
 */
export function joinCallingCodes(rows: Rows, bad: BadRows): Rows {
  const isComplete = (row: Rows[number]) => row.prefixes.every((prefix) => prefix.startsWith(row.callingCode));
  if (rows.every(isComplete)) return rows;
  return rows.flatMap((row) => {
    if (row.callingCode === "") return [row];
    if (!/^[1-9]\d{0,3}$/.test(row.callingCode) || row.prefixes.some((prefix) => prefix.startsWith(row.callingCode))) {
      bad.add(row.line, "prefix_split", `${row.callingCode} | ${row.prefixes.join(" ")}`);
      return [];
    }
    return [{ ...row, prefixes: row.prefixes.map((prefix) => row.callingCode + prefix) }];
  });
}
