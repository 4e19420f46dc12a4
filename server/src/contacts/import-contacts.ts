import type { ImportResponse } from "@farline/contract/contacts.ts";
import {
  contactFileLimits,
  type FileChoices,
  type FileContact,
  type FileFacts,
  type FileProblem,
} from "@farline/domain/contacts/contact-file.ts";
import { MAX_CONTACTS } from "@farline/domain/contacts/contact-details.ts";
import { readContactFile } from "@farline/domain/contacts/parse-contact-file.ts";
import { setImmediate as pause } from "node:timers/promises";
import type { Customer } from "../accounts/accounts.ts";
import type { MessageRef } from "@farline/texts/reason.ts";
import { AppError } from "../platform/app-error.ts";
import type { Tx } from "../platform/database/database.ts";
import {
  ALL_CONTACTS,
  countContacts,
  findContactsOfNumbers,
  insertContacts,
  insertNumbers,
  lockContactsOf,
} from "./contact.store.ts";
import { tellPages } from "./change-contacts.ts";
import { ImportPlanner, presentPlan, type ImportPlan } from "./import-plan.ts";
import type { Context } from "../context.ts";

/** Yield to other requests at least this often while reading a long file. */
const SLICE_MS = 8;
const MEGABYTE = 1024 * 1024;

interface ContactUpload {
  readonly bytes: Uint8Array;
  readonly choices: FileChoices;
  /** ISO code for numbers without a country code. */
  readonly country: string | null;
  /** Only preview the import. */
  readonly preview: boolean;
}

/**
 * Imports a file of contacts. Rows that cannot be imported are skipped and listed with the reason.
 * @throws AppError validation_failed or body_too_large with a message that names the row; nothing is imported then
 */
export async function importContacts(ctx: Context, customer: Customer, upload: ContactUpload): Promise<ImportResponse> {
  const { planner, problem, file } = await readUpload(upload);
  if (upload.preview) return { ...presentPlan(await planFor(ctx.handle.db, customer, planner)), preview: true, problem, file };
  if (problem !== null) throw unreadable(problem);
  return tellPages(ctx, customer, async (tx) => {
    await lockContactsOf(tx, customer.id);
    const plan = await planFor(tx, customer, planner);
    await insertContacts(tx, customer.id, { contacts: plan.contacts, now: ctx.clock.now() });
    await insertNumbers(tx, customer.id, plan.added);
    return { ...presentPlan(plan), preview: false, problem: null, file };
  });
}

interface ReadFile {
  readonly planner: ImportPlanner;
  readonly problem: FileProblem | null;
  readonly file: ImportResponse["file"];
}

/** A file with a problem has an empty plan. */
async function readUpload({ bytes, choices, country }: ContactUpload): Promise<ReadFile> {
  const planner = new ImportPlanner(country);
  const take = (person: FileContact) => planner.add(person);
  const { facts, problem } = await readContactFile(bytes, choices, { sliceMs: SLICE_MS, pause: () => pause(), take });
  return { planner: problem === null ? planner : new ImportPlanner(country), problem, file: presentFile(facts) };
}

function presentFile(facts: FileFacts | null): ImportResponse["file"] {
  if (facts === null) return null;
  const columns = facts.columns.map(({ head, samples, role }) => ({ head, samples: [...samples], role }));
  return { format: facts.format, charset: facts.charset, is_mixed: facts.isMixed, columns };
}

async function planFor(tx: Tx, customer: Customer, planner: ImportPlanner): Promise<ImportPlan> {
  const known = await findContactsOfNumbers(tx, customer.id, planner.numbers());
  const room = MAX_CONTACTS - (await countContacts(tx, customer.id, ALL_CONTACTS));
  return planner.finish(known, room);
}

function unreadable({ kind, row }: FileProblem): AppError {
  if (kind === "too_large") return fileTooLarge();
  const { rows, columns } = contactFileLimits;
  const messageRef: MessageRef = {
    too_many_rows: { reason: "file_too_many_rows", params: { row: row ?? 0, max: rows } } as const,
    too_many_columns: { reason: "file_too_many_columns", params: { row: row ?? 0, max: columns } } as const,
    no_phone_column: { reason: "file_no_phone_column" } as const,
  }[kind];
  return new AppError("validation_failed", { ...messageRef, field: "file" });
}

export function fileTooLarge(): AppError {
  const { bytes, bytesWithPictures } = contactFileLimits;
  const [max, maxInAll] = [bytes / MEGABYTE, bytesWithPictures / MEGABYTE];
  return new AppError("body_too_large", { reason: "file_too_large", params: { max, maxInAll } });
}
