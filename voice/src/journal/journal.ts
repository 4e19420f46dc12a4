import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import type { Logger } from "pino";
import type { CallLeg } from "../calls/call-leg.ts";
import type { WebhookEvent } from "../control/webhook-events.ts";

/** How often the exchange records that it is alive. Calls of a crashed exchange are charged until the last record. */
export const ALIVE_INTERVAL_MS = 10_000;
/** Compact once this many lines are obsolete. */
const MAX_OBSOLETE_LINES = 20_000;
/** How often a journal that could not be written is tried again. */
const RETRY_MS = 1_000;
const MAX_BYTES = 256 * 1024 * 1024;

/** Why the journal cannot be written, and since when. */
interface JournalFailure {
  /** The system's code, such as ENOSPC. */
  readonly code: string;
  readonly since: string;
}

type Line =
  | { readonly is: "leg"; readonly leg: CallLeg }
  | { readonly is: "ended"; readonly controlId: string }
  | { readonly is: "event"; readonly event: WebhookEvent }
  | { readonly is: "delivered"; readonly eventId: string }
  | { readonly is: "alive"; readonly at: string };

interface JournalFiles {
  writeSync(file: number, text: string): unknown;
  writeFileSync(path: string, text: string, options: { readonly mode: number }): void;
}

/** The calls and events of an exchange that crashed. */
interface CrashState {
  readonly legs: readonly CallLeg[];
  /** Undelivered, in order. */
  readonly events: readonly WebhookEvent[];
  readonly aliveAt: Date;
}

/**
 * Records live legs and undelivered events in a file, so that a crashed exchange can end and report its calls after a restart
 * (docs/decisions/061-releases-and-drills.md). A line is written before its event takes effect. While the disk takes nothing, `failure` says so and
 * no new calls are taken; what happens is kept in memory, and is written as a whole as soon as there is room.
 */
export class Journal {
  readonly crashState: CrashState;
  readonly #path: string | null;
  readonly #log: Logger;
  readonly #files: JournalFiles;
  readonly #legs: Map<string, CallLeg>;
  readonly #events: Map<string, WebhookEvent>;
  #file: number | null = null;
  #lines = 0;
  #aliveAt: Date;
  #timer: NodeJS.Timeout | null = null;
  #retry: NodeJS.Timeout | null = null;
  #failure: JournalFailure | null = null;

  /**
   * @param path null: nothing survives the process
   * @param files writes; a test passes a disk that is full
   */
  constructor(path: string | null, log: Logger, files: JournalFiles = { writeSync, writeFileSync }) {
    this.#path = path;
    this.#files = files;
    this.#log = log;
    const { legs, events, aliveAt } = path === null ? emptyContents() : readJournal(path, log);
    this.#legs = legs;
    this.#events = events;
    this.#aliveAt = aliveAt;
    this.crashState = { legs: [...legs.values()], events: [...events.values()], aliveAt };
    if (path === null) return;
    this.#tryToCompact(path);
    // oxlint-disable-next-line farline/bounded-timers -- runs as long as the process
    this.#timer = setInterval(() => this.#alive(), ALIVE_INTERVAL_MS).unref();
  }

  /** Null while it can be written. */
  get failure(): JournalFailure | null {
    return this.#failure;
  }

  /** Records a new or changed leg. */
  recordLeg(leg: CallLeg): void {
    this.#legs.set(leg.controlId, leg);
    this.#append({ is: "leg", leg });
  }

  removeLeg(controlId: string): void {
    if (this.#legs.delete(controlId)) this.#append({ is: "ended", controlId });
  }

  recordEvent(event: WebhookEvent): void {
    if (this.#events.has(event.id)) return;
    this.#events.set(event.id, event);
    this.#append({ is: "event", event });
  }

  removeEvent(eventId: string): void {
    if (this.#events.delete(eventId)) this.#append({ is: "delivered", eventId });
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    if (this.#retry !== null) clearTimeout(this.#retry);
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  #alive(): void {
    if (this.#legs.size > 0) this.#append({ is: "alive", at: new Date().toISOString() });
  }

  #append(line: Line): void {
    this.#aliveAt = new Date();
    if (this.#file === null || this.#path === null || this.#failure !== null) return;
    try {
      this.#files.writeSync(this.#file, lineOf(line));
      this.#lines += 1;
      if (this.#lines > MAX_OBSOLETE_LINES + this.#legs.size + this.#events.size) this.#compact(this.#path);
    } catch (error) {
      this.#fail(this.#path, error);
    }
  }

  /** A full disk must not end calls, nor keep the exchange from starting. */
  #fail(path: string, error: unknown): void {
    if (this.#failure === null) this.#log.error({ err: error }, "journal not written, no new calls are taken");
    const { code = "unknown" } = error as { code?: string };
    this.#failure = { code, since: this.#failure?.since ?? new Date().toISOString() };
    this.#retry = setTimeout(() => this.#tryToCompact(path), RETRY_MS).unref();
  }

  #tryToCompact(path: string): void {
    try {
      this.#compact(path);
    } catch (error) {
      // Half a file would take the room that is wanted.
      rmSync(`${path}.next`, { force: true });
      return this.#fail(path, error);
    }
    if (this.#failure !== null) this.#log.warn({ since: this.#failure.since }, "journal written again, calls are taken");
    this.#failure = null;
  }

  /** Writes the current state to a new file and replaces the old one. */
  #compact(path: string): void {
    const lines: Line[] = [
      ...[...this.#legs.values()].map((leg) => ({ is: "leg", leg }) as const),
      ...[...this.#events.values()].map((event) => ({ is: "event", event }) as const),
      { is: "alive", at: this.#aliveAt.toISOString() },
    ];
    const next = `${path}.next`;
    this.#files.writeFileSync(next, lines.map(lineOf).join(""), { mode: 0o600 });
    renameSync(next, path);
    if (this.#file !== null) closeSync(this.#file);
    this.#file = openSync(path, "a", 0o600);
    this.#lines = lines.length;
  }
}

function lineOf(line: Line): string {
  return `${JSON.stringify(line, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))}\n`;
}

interface Contents {
  readonly legs: Map<string, CallLeg>;
  readonly events: Map<string, WebhookEvent>;
  readonly aliveAt: Date;
}

function emptyContents(): Contents {
  return { legs: new Map(), events: new Map(), aliveAt: new Date(0) };
}

/** Skips invalid lines: the last one may be incomplete. */
function readJournal(path: string, log: Logger): Contents {
  if (!existsSync(path)) return emptyContents();
  if (statSync(path).size > MAX_BYTES) {
    log.error({ path }, "journal too long, moved aside");
    renameSync(path, `${path}.too-long`);
    return emptyContents();
  }
  const { legs, events } = emptyContents();
  let aliveAtMs = 0;
  const alive = (at: string | Date): void => void (aliveAtMs = Math.max(aliveAtMs, new Date(at).getTime()));
  for (const text of readFileSync(path, "utf8").split("\n")) {
    const line = parse(text);
    if (line === null) continue;
    if (line.is === "leg") {
      legs.set(line.leg.controlId, line.leg);
      alive(line.leg.answeredAt ?? line.leg.startedAt);
    } else if (line.is === "ended") legs.delete(line.controlId);
    else if (line.is === "event") {
      events.set(line.event.id, line.event);
      alive(line.event.occurred_at);
    } else if (line.is === "delivered") events.delete(line.eventId);
    else if (line.is === "alive") alive(line.at);
  }
  return { legs, events, aliveAt: new Date(aliveAtMs) };
}

const DATE_KEYS = new Set(["startedAt", "answeredAt", "endedAt", "heardUntil"]);
const BIGINT_KEYS = new Set(["ratePerMinuteMicros"]);

function parse(text: string): Line | null {
  try {
    return JSON.parse(text, (key, value: unknown) => {
      if (typeof value !== "string") return value;
      if (DATE_KEYS.has(key)) return new Date(value);
      return BIGINT_KEYS.has(key) ? BigInt(value) : value;
    }) as Line;
  } catch {
    return null;
  }
}
