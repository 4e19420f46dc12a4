import { createReadStream, existsSync, mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Command } from "commander";
import { CommandError, onMachine, run, show } from "../command.ts";
import { keptLogs, type LogEvent, logLine, readEvent } from "../start/log-line.ts";

/** A call has about ten lines. */
const MAX_LINES = 5_000;
const STDIN = "-";

/** `log <call>`: a call's lines in the logs of services and exchanges, in order (docs/operate/monitoring.md). */
export function addLogCommand(program: Command): void {
  onMachine(program.command("log"))
    .argument("<call>", "our id of the call, or the id of its session")
    .description("print a call's log lines of services and exchanges, from the click to the posting")
    .option("--from <file...>", `files of JSON lines, or ${STDIN} for those of another program; by default what npm start keeps`)
    .action(
      run(async (call: string, { from = keptLogs(resolve(process.env["DATA_DIR"] || "./data")) }: { from?: string[] }) => {
        const lines = await withFiles(from, (files) => readCallLog(files, call));
        if (lines.length === 0) throw new CommandError("No line of these logs is about this call.");
        show(
          { lines },
          lines.map((event) => logLine("terminal", event.service ?? "", JSON.stringify(event))),
        );
      }),
    );
}

/** The lines are read twice, so those of another program are kept in a file meanwhile. */
async function withFiles<Result>(from: readonly string[], read: (files: readonly string[]) => Promise<Result>): Promise<Result> {
  const missing = from.find((file) => file !== STDIN && !existsSync(file));
  if (missing !== undefined || from.length === 0)
    throw new CommandError(`There is no log ${missing ?? "of npm start here"}: name its files with --from.`);
  if (!from.includes(STDIN)) return read(from);
  const folder = mkdtempSync(join(tmpdir(), "farline-log-"));
  try {
    const copy = join(folder, "stdin");
    await writeFile(copy, process.stdin, { mode: 0o600 });
    return await read(from.map((file) => (file === STDIN ? copy : file)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * A call's lines by time: those that name it, its session, or a request that named it. Session and request lead to the lines from before the
 * service knew the call.
 * @throws CommandError if there are too many
 */
export async function readCallLog(files: readonly string[], call: string): Promise<LogEvent[]> {
  const ids = new Set([call]);
  for await (const event of eventsOf(files))
    if (event["call"] === call || event["session"] === call)
      for (const name of ["call", "session", "request_id"] as const) {
        const id = event[name];
        if (typeof id === "string") ids.add(id);
      }
  const lines: LogEvent[] = [];
  for await (const event of eventsOf(files)) {
    if (![event["call"], event["session"], event["request_id"]].some((id) => ids.has(id as string))) continue;
    if (lines.push(event) > MAX_LINES) throw new CommandError(`More than ${MAX_LINES} lines match: name a call, not a request.`);
  }
  return lines.toSorted((one, other) => (one.time < other.time ? -1 : one.time > other.time ? 1 : 0));
}

async function* eventsOf(files: readonly string[]): AsyncGenerator<LogEvent> {
  for (const file of files)
    for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
      const event = readEvent(line);
      if (event !== null) yield event;
    }
}
