import { readCards } from "./cards/read-cards.ts";
import { openText } from "./charset/file-decoder.ts";
import {
  contactFileLimits,
  type FileChoices,
  type FileContact,
  type FileFacts,
  type FileProblem,
  type Reading,
} from "./contact-file.ts";
import { cleanHeader, isKnownHeader } from "./table/header-words.ts";
import { phoneHeaderOf } from "./table/phone-headers.ts";
import { openContactTable } from "./table/read-contact-table.ts";

interface ContactFile {
  /** Null if the file is too large. */
  readonly facts: FileFacts | null;
  readonly contacts: Reading<FileContact>;
}

/** Cards must start within these bytes. */
const BEGINNING_BYTES = 64 * 1024;

/**
 * Opens a contact file. Format, columns and character set are detected from its content, unless the user chose them. Yields null
 * where the caller may pause.
 */
export function* openContactFile(bytes: Uint8Array, choices: FileChoices): Generator<null, ContactFile, void> {
  if (bytes.length > contactFileLimits.bytesWithPictures)
    return { facts: null, contacts: refused({ kind: "too_large", row: null }) };
  const opened = yield* openText(bytes, choices.charset, hasKnownHeader);
  const { decoder, charset } = opened;
  const facts = { charset, isMixed: decoder.isMixed, columns: [] };
  if (isCards(opened.bytes)) return { facts: { ...facts, format: "cards" }, contacts: readCards(opened.bytes, decoder) };
  if (opened.bytes.length > contactFileLimits.bytes) return { facts: null, contacts: refused({ kind: "too_large", row: null }) };
  const { columns, contacts } = yield* openContactTable(opened.bytes, decoder, choices.columns);
  return { facts: { ...facts, format: "table", columns }, contacts };
}

/** A reader awaits `pause` after every `sliceMs` of work. */
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

// oxlint-disable-next-line require-yield -- yields no contacts
function* refused(problem: FileProblem): Reading<FileContact> {
  return problem;
}

function isCards(bytes: Uint8Array): boolean {
  const beginning = new TextDecoder("windows-1252").decode(bytes.subarray(0, BEGINNING_BYTES));
  return /^[^\S\r\n]*BEGIN[^\S\r\n]*:[^\S\r\n]*VCARD[^\S\r\n]*$/im.test(beginning);
}

/** Whether the first line has a known non-ASCII column header. */
function hasKnownHeader(text: string): boolean {
  const [line = ""] = text.split("\n", 1);
  return line
    .split(/[,;\t]/)
    .map((cell) => cleanHeader(cell.slice(0, 60)))
    .some((head) => /[^\0-\x7f]/.test(line) && (isKnownHeader(head) || phoneHeaderOf(head) === "phone"));
}
