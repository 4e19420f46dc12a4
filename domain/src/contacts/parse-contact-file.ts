import type { FileContact, FileProblem, Reading } from "./contact-file.ts";
import { contactFileLimits } from "./contact-limits.ts";
import { decodeText } from "./decode-text.ts";
import { readCards } from "./read-cards.ts";
import { readContactTable } from "./read-contact-table.ts";

export type ContactFileResult =
  | { readonly ok: true; readonly contacts: readonly FileContact[] }
  | { readonly ok: false; readonly problem: FileProblem };

/**
 * Reads a whole file of contacts at once. Its content decides whether it is a table or cards; a table may have commas,
 * semicolons or tabs; the encoding is found out.
 * @returns every row, also those without a name or a number; or why nothing of the file can be read
 */
export function parseContactFile(bytes: Uint8Array, fileName: string): ContactFileResult {
  const reading = readContactFile(bytes, fileName);
  const contacts: FileContact[] = [];
  for (let next = reading.next(); ; next = reading.next()) {
    if (next.done !== true) contacts.push(next.value);
    else if (next.value === null) return { ok: true, contacts };
    else return { ok: false, problem: next.value };
  }
}

/** The same, one contact at a time, so that a caller can yield while it reads a long file. */
export function* readContactFile(bytes: Uint8Array, fileName: string): Reading<FileContact> {
  if (bytes.length > contactFileLimits.bytes) return { kind: "too_large", row: null };
  const text = decodeText(bytes);
  const cards = /\.vcf$/i.test(fileName.trim()) || /^\s*BEGIN\s*:\s*VCARD/i.test(text);
  return yield* cards ? readCards(text) : readContactTable(text);
}
