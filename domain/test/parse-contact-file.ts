import {
  type FileChoices,
  type FileContact,
  type FileFacts,
  type FileProblem,
  NO_CHOICES,
} from "../src/contacts/contact-file.ts";
import { openContactFile } from "../src/contacts/parse-contact-file.ts";

type ContactFileResult =
  | { readonly ok: true; readonly contacts: readonly FileContact[]; readonly facts: FileFacts | null }
  | { readonly ok: false; readonly problem: FileProblem; readonly facts: FileFacts | null };

/** Reads a whole file without pauses. */
export function parseContactFile(bytes: Uint8Array, choices: FileChoices = NO_CHOICES): ContactFileResult {
  const { facts, contacts: reading } = lastOf(openContactFile(bytes, choices), () => undefined);
  const contacts: FileContact[] = [];
  const problem = lastOf(reading, (contact) => contact !== null && contacts.push(contact));
  return problem === null ? { ok: true, contacts, facts } : { ok: false, problem, facts };
}

function lastOf<Item, Result>(steps: Generator<Item, Result, void>, take: (item: Item) => void): Result {
  for (let next = steps.next(); ; next = steps.next()) {
    if (next.done === true) return next.value;
    take(next.value);
  }
}
