import type { BadRows } from "./bad-rows.ts";
import type { DeckFile } from "./read-deck-file.ts";

type Rows = DeckFile["rows"];

/**
 * Completes the prefixes of a file that has a separate calling-code column. If every prefix begins with its row's calling code, they are
 * complete; if none does, the calling code is added. In a mixed file, prefixes that begin with it are ambiguous and bad.
 */
export function joinCallingCodes(rows: Rows, bad: BadRows): Rows {
  const isComplete = (row: Rows[number]) => row.prefixes.every((prefix) => prefix.startsWith(row.offer.callingCode));
  if (rows.every(isComplete)) return rows;
  return rows.flatMap((row) => {
    const { callingCode } = row.offer;
    if (callingCode === "") return [row];
    if (!/^[1-9]\d{0,3}$/.test(callingCode) || row.prefixes.some((prefix) => prefix.startsWith(callingCode))) {
      bad.add(row.line, "prefix_split", `${callingCode} | ${row.prefixes.join(" ")}`);
      return [];
    }
    return [{ ...row, prefixes: row.prefixes.map((prefix) => callingCode + prefix) }];
  });
}
