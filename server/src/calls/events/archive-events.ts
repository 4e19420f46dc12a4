import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import type { Context } from "../../context.ts";
import type { Database } from "../../platform/database/database.ts";
import {
  deleteEventArchive,
  deleteEvents,
  type EventLine,
  findUnfinished,
  type IdSpan,
  insertEventArchive,
  readEventArchives,
  readEventLines,
  readOldestCallWithEvents,
  restoreEvents,
} from "./event-archive.store.ts";

/** Refund requests, disputes and the shortening of numbers are over by then. */
const MONTHS_KEPT = 13;
const ROWS_AT_ONCE = 5_000;
/** Months of one run. */
const MAX_MONTHS = 120;
const FILE = /^call-events-(\d{4}-\d{2})\.jsonl\.gz$/;

type Archiving = Pick<Context, "handle" | "clock">;

export interface ArchivedMonth {
  /** "2025-09" */
  readonly month: string;
  readonly file: string;
  readonly sha256: string;
  readonly events: number;
}

/** A month cannot be archived or restored. The message says why; nothing of the month was deleted. */
export class ArchiveError extends Error {}

/** Whether a call is so old that its events may be archived; it takes no further ones then. @param id a version 7 UUID */
export function isArchivable(id: string, now: Date): boolean {
  return id < firstIdOf(monthOf(now, -MONTHS_KEPT));
}

/**
 * Moves the events of each month that is more than thirteen months old into a file in `folder`, the oldest month first. The file is read back
 * before its rows are deleted. A run that was stopped is continued by the next one with the same folder.
 * @throws ArchiveError
 */
export async function archiveEvents(ctx: Archiving, folder: string): Promise<ArchivedMonth[]> {
  const { db } = ctx.handle;
  const done: ArchivedMonth[] = [];
  for (let months = 0; months < MAX_MONTHS; months += 1) {
    const oldest = await readOldestCallWithEvents(db);
    if (oldest === null || !isArchivable(oldest, ctx.clock.now())) break;
    done.push(await archiveMonth(ctx, monthOfId(oldest), folder));
  }
  return done;
}

/** The archived month of a call; null if its events are in the database. */
export async function findEventArchive(db: Database, callId: string): Promise<string | null> {
  const month = monthOfId(callId);
  return (await readEventArchives(db)).find((one) => one.month === month)?.file ?? null;
}

async function archiveMonth(ctx: Archiving, month: string, folder: string): Promise<ArchivedMonth> {
  const { db } = ctx.handle;
  const span = spanOf(month);
  const file = join(folder, `call-events-${month}.jsonl.gz`);
  let archived = (await readEventArchives(db)).find((one) => one.month === month);
  if (archived === undefined) {
    const unfinished = await findUnfinished(db, span);
    if (unfinished !== null)
      throw new ArchiveError(`Call ${unfinished} of ${month} is not over, or its number is not shortened yet.`);
    if (existsSync(file)) throw new ArchiveError(`${file} exists, and the database does not know it: move it away.`);
    archived = { month, file: basename(file), ...(await writeMonth(db, span, file)) };
    await insertEventArchive(db, { ...archived, archived_at: ctx.clock.now() });
  }
  const read = await readFile(file, async () => undefined);
  if (read.sha256 !== archived.sha256)
    throw new ArchiveError(`${file} is not what was written. Bring the right file back; nothing was deleted now.`);
  // Only what the file holds, whatever has come since it was written.
  await readFile(file, (lines) => deleteEvents(db, lines));
  if ((await readEventLines(db, span, null, 1)).length > 0)
    throw new ArchiveError(`Events of ${month} came after ${file} was written, and stay. Restore the file, then archive again.`);
  return archived;
}

/** Writes to another name first, so that a file with the final name is whole. */
async function writeMonth(db: Database, span: IdSpan, file: string): Promise<{ sha256: string; events: number }> {
  const hash = createHash("sha256");
  let events = 0;
  async function* lines(): AsyncGenerator<string> {
    for (let after: EventLine | null = null; ;) {
      const rows = await readEventLines(db, span, after, ROWS_AT_ONCE);
      const text = rows.map(({ line }) => `${line}\n`).join("");
      hash.update(text);
      events += rows.length;
      yield text;
      after = rows.at(-1) ?? null;
      if (rows.length < ROWS_AT_ONCE) return;
    }
  }
  const part = `${file}.part`;
  await pipeline(Readable.from(lines()), createGzip(), createWriteStream(part, { mode: 0o600 }));
  const written = await open(part, "r+");
  await written.sync();
  await written.close();
  await rename(part, file);
  return { sha256: hash.digest("hex"), events };
}

/**
 * Writes a month's events back into the database. It can be repeated after it was stopped.
 * @throws ArchiveError if the file is not the one that was written
 */
export async function restoreArchive(ctx: Archiving, file: string): Promise<ArchivedMonth> {
  const { db } = ctx.handle;
  const month = FILE.exec(basename(file))?.[1];
  const archived = (await readEventArchives(db)).find((one) => one.month === month);
  if (archived === undefined) throw new ArchiveError(`${file} is not an archive that this database knows.`);
  const { sha256 } = await readFile(file, async () => undefined);
  if (sha256 !== archived.sha256) throw new ArchiveError(`${file} is damaged: it is not what was written.`);
  await readFile(file, (lines) => restoreEvents(db, lines));
  await deleteEventArchive(db, archived.month);
  return archived;
}

/** Passes the lines on in batches. @throws ArchiveError if it cannot be read */
async function readFile(file: string, take: (lines: readonly string[]) => Promise<void>): Promise<{ sha256: string }> {
  const hash = createHash("sha256");
  let lines: string[] = [];
  try {
    const input = createReadStream(file);
    const text = input.pipe(createGunzip());
    input.on("error", (error) => text.destroy(error));
    for await (const line of createInterface({ input: text, crlfDelay: Infinity })) {
      hash.update(`${line}\n`);
      lines.push(line);
      if (lines.length < ROWS_AT_ONCE) continue;
      await take(lines);
      lines = [];
    }
  } catch (error) {
    throw new ArchiveError(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  if (lines.length > 0) await take(lines);
  return { sha256: hash.digest("hex") };
}

/** @param away in months */
function monthOf(at: Date, away: number): string {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + away)).toISOString().slice(0, 7);
}

function spanOf(month: string): IdSpan {
  const [year = 0, number = 0] = month.split("-").map(Number);
  return { from: firstIdOf(month), to: firstIdOf(monthOf(new Date(Date.UTC(year, number - 1)), 1)) };
}

/** Below every version 7 UUID of the month and above every earlier one (RFC 9562, section 5.7). */
function firstIdOf(month: string): string {
  const hex = Date.parse(`${month}-01T00:00:00Z`).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

function monthOfId(id: string): string {
  return monthOf(new Date(Number.parseInt(id.replace("-", "").slice(0, 12), 16)), 0);
}
