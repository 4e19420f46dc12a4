import { readCards } from "./cards/read-cards.ts";
import { openText } from "./charset/file-decoder.ts";
import {
  NO_CHOICES,
  type FileChoices,
  type FileContact,
  type FileFacts,
  type FileProblem,
  type Reading,
} from "./contact-file.ts";
import { contactFileLimits } from "./contact-limits.ts";
import { cleanHead, isKnownHead } from "./table/head-words.ts";
import { phoneHeadOf } from "./table/phone-heads.ts";
import { openContactTable } from "./table/read-contact-table.ts";

export interface ContactFile {
  /** Null when the file is too large to look at. */
  readonly facts: FileFacts | null;
  readonly contacts: Reading<FileContact>;
}

/** Cards may begin with empty lines, but not after another text of this length. */
const BEGINNING_BYTES = 64 * 1024;

/**
 * Opens a file of contacts. Its content decides whether it is a table or cards, what each column holds, and the character set,
 * where the user does not. Yields null wherever the caller may pause.
 */
export function* openContactFile(bytes: Uint8Array, choices: FileChoices): Generator<null, ContactFile, void> {
  if (bytes.length > contactFileLimits.bytesWithPictures)
    return { facts: null, contacts: refused({ kind: "too_large", row: null }) };
  const opened = yield* openText(bytes, choices.charset, hasKnownHead);
  const { decoder, charset } = opened;
  const facts = { charset, isMixed: decoder.isMixed, columns: [] };
  if (isCards(opened.bytes)) return { facts: { ...facts, format: "cards" }, contacts: readCards(opened.bytes, decoder) };
  if (opened.bytes.length > contactFileLimits.bytes) return { facts: null, contacts: refused({ kind: "too_large", row: null }) };
  const { columns, contacts } = yield* openContactTable(opened.bytes, decoder, choices.columns);
  return { facts: { ...facts, format: "table", columns }, contacts };
}

/** How a reader pauses: after this long it calls `pause`, and goes on when that has resolved. */
export interface Pauses {
  readonly sliceMs: number;
  pause(): Promise<unknown>;
}

/**
 * Reads a file without blocking its thread for long.
 * @param take called with each contact, in the file's order
 */
export async function readContactFile(
  bytes: Uint8Array,
  choices: FileChoices,
  { take, ...pauses }: Pauses & { take(contact: FileContact): void },
): Promise<{ facts: FileFacts | null; problem: FileProblem | null }> {
  const file = await runInSlices(openContactFile(bytes, choices), pauses, () => undefined);
  const problem = await runInSlices(file.contacts, pauses, (contact) => {
    if (contact !== null) take(contact);
  });
  return { facts: file.facts, problem };
}

export type ContactFileResult =
  | { readonly ok: true; readonly contacts: readonly FileContact[]; readonly facts: FileFacts | null }
  | { readonly ok: false; readonly problem: FileProblem; readonly facts: FileFacts | null };

/** Reads a whole file at once. */
export function parseContactFile(bytes: Uint8Array, choices: FileChoices = NO_CHOICES): ContactFileResult {
  const { facts, contacts: reading } = lastOf(openContactFile(bytes, choices), () => undefined);
  const contacts: FileContact[] = [];
  const problem = lastOf(reading, (contact) => contact !== null && contacts.push(contact));
  return problem === null ? { ok: true, contacts, facts } : { ok: false, problem, facts };
}

async function runInSlices<Item, Result>(
  steps: Generator<Item, Result, void>,
  { sliceMs, pause }: Pauses,
  take: (item: Item) => void,
): Promise<Result> {
  let sliceBegan = performance.now();
  for (let next = steps.next(); ; next = steps.next()) {
    if (next.done === true) return next.value;
    take(next.value);
    if (performance.now() - sliceBegan < sliceMs) continue;
    await pause();
    sliceBegan = performance.now();
  }
}

function lastOf<Item, Result>(steps: Generator<Item, Result, void>, take: (item: Item) => void): Result {
  for (let next = steps.next(); ; next = steps.next()) {
    if (next.done === true) return next.value;
    take(next.value);
  }
}

// oxlint-disable-next-line require-yield -- a file without contacts
function* refused(problem: FileProblem): Reading<FileContact> {
  return problem;
}

function isCards(bytes: Uint8Array): boolean {
  const beginning = new TextDecoder("windows-1252").decode(bytes.subarray(0, BEGINNING_BYTES));
  return /^[^\S\r\n]*BEGIN[^\S\r\n]*:[^\S\r\n]*VCARD[^\S\r\n]*$/im.test(beginning);
}

/** Whether the first line has a head of a column beyond ASCII that is known. */
function hasKnownHead(text: string): boolean {
  const [line = ""] = text.split("\n", 1);
  return line
    .split(/[,;\t]/)
    .map((cell) => cleanHead(cell.slice(0, 60)))
    .some((head) => /[^\0-\x7f]/.test(line) && (isKnownHead(head) || phoneHeadOf(head) === "phone"));
}
