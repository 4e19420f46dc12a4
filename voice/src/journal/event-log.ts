import { appendFileSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import { DAY_MS } from "@farline/domain/durations.ts";
import type { WebhookEvent } from "../control/webhook-events.ts";

/** As long as the provider keeps its call events. */
const KEPT_MS = DAY_MS;
/** An event has about 2 kB. */
const PAGE_BYTES = 512 * 1024;
/** A full exchange writes a quarter of this in an hour. */
const MAX_FILE_BYTES = 1024 ** 3;
const NAME = /^(\d{4}-\d{2}-\d{2}T\d{2})\.jsonl$/;
const CURSOR = /^(\d{4}-\d{2}-\d{2}T\d{2}):(\d{1,10})$/;

interface EventPage {
  readonly events: readonly WebhookEvent[];
  /** Where the next page begins; null if this is the last. */
  readonly after: string | null;
}

/**
 * Keeps the events of calls for a day, a file for each hour, so that a service whose database was restored from a back-up learns of calls
 * again (docs/decisions/061-releases-and-drills.md).
 */
export class EventLog {
  readonly #folder: string;
  readonly #log: Logger;
  #hour = "";
  #bytes = 0;

  constructor(folder: string, log: Logger) {
    this.#folder = folder;
    this.#log = log;
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    } catch (error) {
      // A full disk must not keep the exchange from starting.
      log.error({ err: error }, "events are not kept");
    }
  }

  /** Records an event. Not flushed to the disk: the exchange and the database are not lost at the same moment. */
  record(event: WebhookEvent): void {
    try {
      this.#turnTo(hourOf(new Date()));
      const line = `${JSON.stringify(event)}\n`;
      if (this.#bytes + line.length > MAX_FILE_BYTES) return;
      appendFileSync(this.#pathOf(this.#hour), line, { mode: 0o600 });
      this.#bytes += line.length;
      if (this.#bytes + line.length > MAX_FILE_BYTES) this.#log.error("too many events in this hour: the rest is not kept");
    } catch (error) {
      // A full disk must not end calls.
      this.#log.error({ err: error }, "event not kept");
    }
  }

  /**
   * Reads events in the order in which they were recorded.
   * @param after of the page before; null begins with the hour of `since`
   */
  async page(after: string | null, since: Date): Promise<EventPage> {
    const hours = this.#hours();
    const [, from = hourOf(since), offset = "0"] = CURSOR.exec(after ?? "") ?? [];
    const hour = hours.find((one) => one >= from);
    if (hour === undefined) return { events: [], after: null };
    const begin = hour === from ? Number(offset) : 0;
    const { lines, end, isLast } = await readLines(this.#pathOf(hour), begin);
    const next = hours[hours.indexOf(hour) + 1];
    const events = lines.flatMap(parse).filter(({ occurred_at: at }) => new Date(at) >= since);
    return { events, after: isLast ? (next === undefined ? null : `${next}:0`) : `${hour}:${end}` };
  }

  /** Begins another file, and deletes those that are old. */
  #turnTo(hour: string): void {
    if (hour === this.#hour) return;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const oldest = hourOf(new Date(Date.now() - KEPT_MS));
    for (const one of this.#hours()) if (one < oldest) rmSync(this.#pathOf(one));
    this.#hour = hour;
    this.#bytes = statSync(this.#pathOf(hour), { throwIfNoEntry: false })?.size ?? 0;
    // A killed process may have left a part of a line.
    if (this.#bytes > 0) appendFileSync(this.#pathOf(hour), "\n");
  }

  #hours(): string[] {
    if (statSync(this.#folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
    return readdirSync(this.#folder)
      .flatMap((name) => NAME.exec(name)?.[1] ?? [])
      .toSorted();
  }

  #pathOf(hour: string): string {
    return join(this.#folder, `${hour}.jsonl`);
  }
}

/** In UTC, such as `2026-11-26T18`. */
function hourOf(at: Date): string {
  return at.toISOString().slice(0, 13);
}

/** Reads whole lines from a position. `isLast`: nothing whole follows them. */
async function readLines(path: string, begin: number): Promise<{ lines: string[]; end: number; isLast: boolean }> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(PAGE_BYTES), 0, PAGE_BYTES, begin);
    const length = buffer.subarray(0, bytesRead).lastIndexOf("\n") + 1;
    const lines = buffer.toString("utf8", 0, length).split("\n").slice(0, -1);
    return { lines, end: begin + length, isLast: bytesRead < PAGE_BYTES || length === 0 };
  } finally {
    await file.close();
  }
}

/** Skips invalid lines: a killed process may have left a part of one. */
function parse(line: string): WebhookEvent[] {
  try {
    return [JSON.parse(line) as WebhookEvent];
  } catch {
    return [];
  }
}
