import { DAY_MS } from "@farline/domain/durations.ts";
import { EXPORT_DAYS } from "@farline/contract/constants.ts";
import type { Language } from "@farline/domain/languages.ts";
import { catalogue } from "@farline/texts/catalogue.ts";
import { Zip, ZipDeflate, ZipPassThrough } from "fflate";
import { type Customer, findCustomer, issueLink } from "../../accounts/accounts.ts";
import { enqueueMail } from "../../mail/mail.ts";
import {
  claimDueExport,
  type DataExportRow,
  deleteParts,
  endExport,
  insertPart,
  listExpired,
  markFailed,
  markReady,
  readPersonalRows,
} from "./data-export.store.ts";
import type { Context } from "../../context.ts";
import { accountCsv, receiptFiles } from "../../billing/billing.ts";
import { callsCsv } from "../../calls/calls.ts";
import { exportContacts } from "../../contacts/contacts.ts";

/** Delay before a retry after a crash; longer than the longest export. */
const TRY_AGAIN_MS = 10 * 60 * 1000;

const MAX_ATTEMPTS = 5;

const MAX_EXPIRED_PER_RUN = 50;

const MAX_EXPORTS_PER_RUN = 10;

const PART_BYTES = 512 * 1024;

/** Larger copies are left to an operator. */
const MAX_EXPORT_BYTES = 256 * 1024 * 1024;

/** One file of an archive. */
interface ArchiveFile {
  readonly path: string;
  /** False for files that are already compressed. */
  readonly compress: boolean;
  readonly at: Date;
  readonly content: AsyncIterable<string | Uint8Array>;
}

const LEVEL = 6;

class TooLargeError extends Error {}

/** The job that deletes expired copies and prepares the requested ones, one after the other. */
export async function prepareExports(ctx: Context, signal: AbortSignal, maxBytes = MAX_EXPORT_BYTES): Promise<void> {
  const { db } = ctx.handle;
  for (const id of await listExpired(db, ctx.clock.now(), MAX_EXPIRED_PER_RUN)) await endExport(db, id, "expired");
  for (let made = 0; made < MAX_EXPORTS_PER_RUN && !signal.aborted; made++) {
    const now = ctx.clock.now();
    const due = await claimDueExport(db, { now, nextTryAt: new Date(now.getTime() + TRY_AGAIN_MS) });
    if (due === undefined) return;
    await prepare(ctx, due, { signal, maxBytes });
    ctx.live.publish(due.customer_id, { type: "account" });
  }
}

async function prepare(ctx: Context, row: DataExportRow, bounds: { signal: AbortSignal; maxBytes: number }): Promise<void> {
  const { db } = ctx.handle;
  const customer = await findCustomer(db, row.customer_id);
  if (customer === undefined) return;
  try {
    if (row.tries > MAX_ATTEMPTS) return await markFailed(db, row.id, "broken");
    await deleteParts(db, row.id, row.tries);
    const bytes = await writeParts(ctx, { row, customer }, bounds);
    await finish(ctx, { row, customer }, bytes);
  } catch (error) {
    if (error instanceof TooLargeError) return markFailed(db, row.id, "too_large");
    // Retried later: `claimDueExport` has rescheduled it.
    ctx.log.warn({ err: error, export: row.id, tried: row.tries }, "a customer's copy could not be prepared");
  }
}

/** @returns the length of the file */
async function writeParts(
  ctx: Context,
  { row, customer }: { row: DataExportRow; customer: Customer },
  { signal, maxBytes }: { signal: AbortSignal; maxBytes: number },
): Promise<number> {
  let [bytes, position] = [0, 0];
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  const flush = async () => {
    const content = Buffer.concat(waiting);
    [waiting, waitingBytes] = [[], 0];
    if (content.length > 0)
      await insertPart(ctx.handle.db, { exportId: row.id, tried: row.tries, position: position++, content });
  };
  for await (const piece of zipFiles(allFiles(ctx, customer))) {
    signal.throwIfAborted();
    bytes += piece.length;
    if (bytes > maxBytes) throw new TooLargeError();
    waiting.push(piece);
    waitingBytes += piece.length;
    if (waitingBytes >= PART_BYTES) await flush();
  }
  await flush();
  return bytes;
}

async function* allFiles(ctx: Context, customer: Customer): AsyncGenerator<ArchiveFile, void, void> {
  const at = ctx.clock.now();
  yield* documentFiles(ctx, customer);
  for await (const { table, pieces } of readPersonalRows(ctx.handle.db, customer.id))
    yield { path: `data/${table}.json`, compress: true, at, content: jsonArray(pieces()) };
}

/** Queues the mail with the state change, so that a notified customer can download. */
async function finish(ctx: Context, { row, customer }: { row: DataExportRow; customer: Customer }, bytes: number): Promise<void> {
  const at = ctx.clock.now();
  const lifetimeMs = EXPORT_DAYS * DAY_MS;
  const { id: customerId, name, email, language } = customer;
  await ctx.transaction(async (tx) => {
    const expiresAt = new Date(at.getTime() + lifetimeMs);
    if (!(await markReady(tx, { id: row.id, tried: row.tries, bytes, at, expiresAt }))) return;
    const { linkId } = await issueLink(tx, { customerId, use: "export_ready", email, now: at, lifetimeMs });
    const data = { name, linkId };
    await enqueueMail(tx, { template: "export_ready", data, to: email, language, key: `export_ready ${linkId}`, at });
  });
}

/** The human-readable files of a customer's copy: a read-me, tables, contact cards and receipts. */
async function* documentFiles(ctx: Context, customer: Customer): AsyncGenerator<ArchiveFile, void, void> {
  const at = ctx.clock.now();
  const text = (path: string, content: AsyncIterable<string>): ArchiveFile => ({ path, compress: true, at, content });
  yield text("README.txt", once(readMe(customer.language)));
  yield text("calls.csv", callsCsv(ctx, customer.id));
  yield text("statement.csv", await accountCsv(ctx, customer));
  yield text("contacts.vcf", exportContacts(ctx, customer.id, { format: "vcf", language: customer.language }).parts);
  for await (const { fileName, content } of receiptFiles(ctx, customer))
    yield { path: `receipts/${fileName}`, compress: false, at, content };
}

async function* jsonArray(pieces: AsyncIterable<readonly string[]>): AsyncGenerator<string, void, void> {
  let before = "[\n";
  for await (const lines of pieces) {
    yield before + lines.join(",\n");
    before = ",\n";
  }
  yield before === "[\n" ? "[]\n" : "\n]\n";
}

async function* once(text: string): AsyncGenerator<string, void, void> {
  yield text;
}

/** The read-me file of a customer's copy. */
function readMe(language: Language): string {
  return `\uFEFF${catalogue(language, "documents").exportReadMe.join("\r\n\r\n")}\r\n`;
}

/** Streams a ZIP archive. Keeps only the current chunk in memory. */
async function* zipFiles(files: AsyncIterable<ArchiveFile>): AsyncGenerator<Uint8Array, void, void> {
  const waiting: Uint8Array[] = [];
  const zip = new Zip((error, piece) => {
    if (error !== null) throw error;
    waiting.push(piece);
  });
  for await (const { path, compress, at, content } of files) {
    const file = compress ? new ZipDeflate(path, { level: LEVEL }) : new ZipPassThrough(path);
    file.mtime = at;
    zip.add(file);
    for await (const piece of content) {
      file.push(typeof piece === "string" ? Buffer.from(piece) : piece);
      yield* waiting.splice(0);
    }
    file.push(new Uint8Array(0), true);
    yield* waiting.splice(0);
  }
  zip.end();
  yield* waiting.splice(0);
}
