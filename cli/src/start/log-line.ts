import { appendFileSync, existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { printableLine } from "@farline/domain/text/clean-text.ts";

/** Pino's levels. */
const LEVELS: Readonly<Record<number, string>> = { 10: "trace", 20: "debug", 30: "info", 40: "WARN", 50: "ERROR", 60: "FATAL" };
const INFO = 30;
const FIELDS_OF_EVERY_LINE = new Set(["level", "time", "service", "msg", "err"]);

/** Columns for a person at a terminal, or JSON for log collectors. */
type LogForm = "terminal" | "json";

/**
 * Formats a line that a program printed. Programs log JSON; other output, such as a warning of Node, becomes the message of a log line.
 * @param part the program's name, put in front of the line or into `service`
 */
export function logLine(form: LogForm, part: string, line: string): string {
  const event = readEvent(line);
  if (form === "json")
    return event === null ? JSON.stringify({ level: INFO, time: new Date().toISOString(), service: part, msg: line }) : line;
  const front = part.padEnd(8);
  if (event === null) return `${front} | ${printableLine(line)}`;
  const clock = event.time.slice(11, 19);
  const level = LEVELS[event.level] ?? "info";
  const fields = Object.entries(event).filter(([name]) => !FIELDS_OF_EVERY_LINE.has(name));
  const text = [event.msg, ...fields.map(([name, value]) => `${name}=${shown(value)}`)].join(" ");
  const lines = [`${clock} ${level.padEnd(5)} ${text}`, ...errorLines(event["err"])];
  return lines
    .flatMap((one) => one.split("\n"))
    .map((one) => `${front} | ${printableLine(one)}`)
    .join("\n");
}

/** A line of JSON that a program logged. */
export interface LogEvent extends Record<string, unknown> {
  readonly level: number;
  readonly time: string;
  readonly msg: string;
  readonly service?: string;
}

/** @returns null for anything else that a program may print */
export function readEvent(line: string): LogEvent | null {
  if (!line.startsWith("{")) return null;
  try {
    const { time = "", msg = "", ...event } = JSON.parse(line) as Partial<LogEvent>;
    return typeof event.level === "number" ? { ...event, level: event.level, time, msg } : null;
  } catch {
    return null;
  }
}

function shown(value: unknown): string {
  return typeof value === "string" && !/\s/.test(value) ? value : JSON.stringify(value);
}

/** The error, its stack and its causes. */
function errorLines(error: unknown): string[] {
  if (typeof error !== "object" || error === null) return [];
  const { type, message, stack, cause } = error as Record<string, unknown>;
  const frames = typeof stack === "string" ? stack.split("\n").filter((line) => line.startsWith("    at ")) : [];
  return [`  ${String(type)}: ${String(message)}`, ...frames, ...errorLines(cause)];
}

/** Two files of this size are kept: some ten thousand calls each. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** The JSON lines of all programs of `npm start`, kept in its data directory for the command `log`. */
export class KeptLog {
  readonly #file: string;
  readonly #maxBytes: number;
  #bytes: number;

  constructor(dataDirectory: string, maxBytes = MAX_FILE_BYTES) {
    const { folder, file } = logFiles(dataDirectory);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#file = file;
    this.#maxBytes = maxBytes;
    this.#bytes = existsSync(file) ? statSync(file).size : 0;
  }

  /** A line that cannot be kept is still printed: a full disk must not end the programs. */
  add(part: string, line: string): void {
    const text = Buffer.from(`${logLine("json", part, line)}\n`);
    try {
      if (this.#bytes + text.length > this.#maxBytes) {
        renameSync(this.#file, olderOf(this.#file));
        this.#bytes = 0;
      }
      appendFileSync(this.#file, text, { mode: 0o600 });
      this.#bytes += text.length;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    }
  }
}

/** The files that `npm start` has kept, the older one first. */
export function keptLogs(dataDirectory: string): string[] {
  const { file } = logFiles(dataDirectory);
  return [olderOf(file), file].filter((one) => existsSync(one));
}

function logFiles(dataDirectory: string): { folder: string; file: string } {
  const folder = join(dataDirectory, "log");
  return { folder, file: join(folder, "farline.jsonl") };
}

function olderOf(file: string): string {
  return `${file}.1`;
}
