import type { BadRows } from "./bad-rows.ts";
import type { DeckFile } from "./read-deck-file.ts";

type Rows = DeckFile["rows"];
type Row = Rows[number];

/**
 * Completes the prefixes of a file that has a separate calling-code column. If every prefix begins with its row's calling code, they are
 * complete; if none does, the calling code is added. In a mixed file, prefixes that begin with it are ambiguous and bad. So is a row
 * without a calling code, unless it is a merged cell for certain.
 */
export function joinCallingCodes(rows: Rows, bad: BadRows): Rows {
  if (rows.every((row) => row.offer.callingCode === "")) return rows;
  const isComplete = rows.every((row) => row.offer.callingCode === "" || begins(row, row.offer.callingCode));
  let above: Row | null = null;
  return rows.flatMap((row) => {
    const written = row.offer.callingCode;
    if (row.offer.skip === "on_request" && written === "") return [row];
    const callingCode = written === "" ? mergedCode(row, above, isComplete) : written;
    if (callingCode === null) {
      bad.add(row.line, "calling_code_missing", row.prefixes.join(" "));
      return [];
    }
    if (written !== "") above = row;
    if (isComplete) return [row];
    if (!/^[1-9]\d{0,3}$/.test(callingCode) || row.prefixes.some((prefix) => prefix.startsWith(callingCode))) {
      bad.add(row.line, "prefix_split", `${callingCode} | ${row.prefixes.join(" ")}`);
      return [];
    }
    return [{ ...row, prefixes: row.prefixes.map((prefix) => callingCode + prefix) }];
  });
}

function begins(row: Row, callingCode: string): boolean {
  return row.prefixes.every((prefix) => prefix.startsWith(callingCode));
}

/** The calling code of the row above, if it was merged with this row's cell for certain; null if that is not known. */
function mergedCode(row: Row, above: Row | null, isComplete: boolean): string | null {
  if (above === null) return null;
  const { callingCode, country, iso } = above.offer;
  if (isComplete) return begins(row, callingCode) ? callingCode : null;
  const isSame = (one: string, other: string) => one === "" || one === other;
  const names = country !== "" || iso !== "";
  return names && isSame(row.offer.country, country) && isSame(row.offer.iso, iso) ? callingCode : null;
}
