import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { MARK_UP } from "@farline/domain/business/mark-up.ts";
import { runInProcess } from "@farline/server/decks/upload/run-in-process.ts";
import type { ImportOrder } from "@farline/server/decks/import-deck.ts";
import { systemClock } from "@farline/server/platform/clock.ts";
import { createRates, insertActivation, readSampleDeck, type PricedRow } from "@farline/server/rates/rates.ts";
import { asOperator, testContext } from "@farline/server/test/test-context.ts";
import { OPERATORS_SQL } from "@farline/server/test/operators.ts";
import { runLong, startBenchPostgres, type BenchPostgres } from "../bench-postgres.ts";
import { spread } from "@farline/drills/support/spread.ts";
import { descendantsOf, procStatusOf } from "@farline/drills/support/processes.ts";

const ROWS = 1_000_000;
/** Of four digits, without a leading zero, which would be a trunk prefix. */
const FIRST_SUFFIX = 1_000;
const MAX_BASE_DIGITS = 11;
const ROWS_A_WRITE = 10_000;
const IDLE_MS = 10_000;
const QUERY_EVERY_MS = 20;

/**
 * Imports a price list of a million rows as the console does, in a process of its own, over a deck of the same size, while this process
 * serves look-ups and queries; then puts it in force here.
 */
export async function deckImport(): Promise<Record<string, unknown>> {
  const folder = mkdtempSync(join(tmpdir(), "farline-deck-"));
  const postgres = await startBenchPostgres({ poolSize: 4 });
  try {
    const sample = await readSampleDeck(MARK_UP);
    const [first, second] = [join(folder, "first.csv"), join(folder, "second.csv")];
    writeList(first, sample, 0);
    writeList(second, sample, 1);
    await runLong(postgres, OPERATORS_SQL);
    const idle = await whileQuerying(postgres, () => pause(IDLE_MS));
    const stored = await importList(postgres, first, true);
    await putInForce(postgres, stored.result.deck ?? "");
    const ctx = testContext({ handle: postgres.handle, clock: systemClock, config: { databaseUrl: postgres.url, mode: "live" } });
    const loading = await whileQuerying(postgres, async () => {
      const { result, memory } = await withMemoryPeak(() => createRates(ctx));
      result.close();
      return memory;
    });
    const compared = await whileQuerying(postgres, () => importList(postgres, second, false));
    return {
      rows: compared.result.result.counts.rows,
      "time to read and compare, s": compared.result.seconds,
      "peak memory above idle while comparing, MB": compared.result.memory.aboveIdle,
      "of it the import's process, MB": compared.result.memory.largestNew,
      "time to read, compare and store, s": stored.seconds,
      "peak memory above idle while storing, MB": stored.memory.aboveIdle,
      "query while idle, ms": idle.queries,
      "query during the import, ms": compared.queries,
      "query while the deck is loaded, ms": loading.queries,
      "event loop's longest delay while the deck is loaded, ms": loading.longestDelayMs,
      "time to load the deck, s": loading.seconds,
      "longest turn of the event loop while the deck is loaded, ms of processor": loading.longestTurnMs,
      "peak memory of this process above idle while the deck is loaded, MB": loading.result.own,
    };
  } finally {
    await postgres.close();
    rmSync(folder, { recursive: true });
  }
}

async function importList({ handle, url }: BenchPostgres, path: string, isStored: boolean) {
  const ctx = testContext({ handle, clock: systemClock, config: { databaseUrl: url, mode: "live" } });
  const { actor: operator } = asOperator(ctx, "grace");
  const order: ImportOrder = {
    path,
    source: "list.csv",
    name: null,
    trunk: null,
    effective: isStored ? null : "now",
    increments: null,
    dates: null,
    skipLines: new Set(),
    skipWords: new Set(),
    columns: new Map(),
    newColumns: false,
    newTrunk: null,
    kindSure: false,
    complete: true,
    preview: null,
    reason: "A measurement",
  };
  const signal = new AbortController().signal;
  const read = (preview: string | null) => runInProcess(ctx, "import", { operator, order: { ...order, preview }, signal });
  const preview = isStored ? (await read(null)).preview : null;
  const start = performance.now();
  const { result, memory } = await withMemoryPeak(() => read(preview));
  return { result, seconds: secondsSince(start), memory };
}

async function putInForce({ handle }: BenchPostgres, deckId: string): Promise<void> {
  const at = new Date();
  await insertActivation(handle.db, { deckId, effectiveAt: at, operator: "bench", reason: "bench", confirmed: true, at });
}

/** Runs something while this process sends small queries and watches its own event loop, as the service does for its callers. */
async function whileQuerying<Result>({ handle }: BenchPostgres, run: () => Promise<Result>) {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const turns = watchTurns();
  const times: number[] = [];
  const stop = new AbortController();
  const querying = (async () => {
    while (!stop.signal.aborted) {
      const start = performance.now();
      await handle.pool.query("select count(*) from deck_activation");
      times.push(performance.now() - start);
      await pause(QUERY_EVERY_MS);
    }
  })();
  const start = performance.now();
  const result = await run();
  stop.abort();
  await querying;
  delays.disable();
  const longestTurnMs = turns.stop();
  return {
    longestTurnMs,
    result,
    seconds: secondsSince(start),
    queries: spread(times),
    longestDelayMs: Math.round(delays.max / 1e6),
  };
}

/** The longest time that this thread has computed between two timers. Unlike a delay, it does not depend on other processes. */
function watchTurns(): { stop(): number } {
  const used = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let before = used();
  let longestMs = 0;
  const timer = setInterval(() => {
    const now = used();
    longestMs = Math.max(longestMs, now - before);
    before = now;
  }, 1);
  return {
    stop() {
      clearInterval(timer);
      return Math.round(longestMs);
    },
  };
}

function secondsSince(start: number): number {
  return Math.round((performance.now() - start) / 100) / 10;
}

/** Writes rows under the sample deck's prefixes. @param shift changes a part of the prices */
function writeList(path: string, sample: readonly PricedRow[], shift: number): void {
  const bases = sample.map(({ prefix }) => prefix).filter((prefix) => prefix.length <= MAX_BASE_DIGITS);
  const shortest = bases.filter((prefix) => !bases.some((other) => other !== prefix && prefix.startsWith(other)));
  const file = openSync(path, "w");
  let lines = ["Prefix,Rate,Billing"];
  for (let row = 0; row < ROWS; row += 1) {
    const suffix = FIRST_SUFFIX + Math.floor(row / shortest.length);
    lines.push(`${shortest[row % shortest.length]}${suffix},${(0.005 + ((row + shift) % 400) / 1_000).toFixed(4)},1/1`);
    if (lines.length < ROWS_A_WRITE && row < ROWS - 1) continue;
    writeSync(file, `${lines.join("\n")}\n`);
    lines = [];
  }
  closeSync(file);
}

const SAMPLE_EVERY_MS = 100;

/** Memory of this process and all below it, in MB. */
interface MemoryPeak {
  /** The largest growth of all together. A new process counts with its program, the others with what they have allocated. */
  readonly aboveIdle: number;
  /** The largest new process alone. */
  readonly largestNew: number;
  /** The growth of this process alone. */
  readonly own: number;
}

/** Measures memory while something runs. Linux only; see proc_pid_status(5). */
async function withMemoryPeak<Result>(run: () => Promise<Result>): Promise<{ result: Result; memory: MemoryPeak }> {
  const before = new Set(processes());
  const idleKb = sum([...before].map((pid) => memoryOf(pid).anonymousKb));
  let peakKb = 0;
  let largestKb = 0;
  let ownKb = 0;
  const ownIdleKb = memoryOf(process.pid).anonymousKb;
  const stop = new AbortController();
  const sampling = (async () => {
    while (!stop.signal.aborted) {
      const now = processes().map((pid) => ({ isNew: !before.has(pid), ...memoryOf(pid) }));
      peakKb = Math.max(
        peakKb,
        sum(now.map((one) => (one.isNew && !one.isPostgres ? one.residentKb : one.anonymousKb))) - idleKb,
      );
      largestKb = Math.max(largestKb, ...now.filter((one) => one.isNew).map((one) => (one.isPostgres ? 0 : one.residentKb)));
      ownKb = Math.max(ownKb, memoryOf(process.pid).anonymousKb - ownIdleKb);
      await pause(SAMPLE_EVERY_MS);
    }
  })();
  try {
    const result = await run();
    return { result, memory: { aboveIdle: megabytes(peakKb), largestNew: megabytes(largestKb), own: megabytes(ownKb) } };
  } finally {
    stop.abort();
    await sampling;
  }
}

/** This process and all below it. */
function processes(): number[] {
  return [process.pid, ...descendantsOf(process.pid)];
}

/** Zero for a process that has ended. The memory that PostgreSQL's processes share is not counted. */
function memoryOf(pid: number): { anonymousKb: number; residentKb: number; isPostgres: boolean } {
  const status = procStatusOf(pid);
  const figure = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
  return { anonymousKb: figure("RssAnon"), residentKb: figure("VmRSS"), isPostgres: status.startsWith("Name:\tpostgres") };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function megabytes(kb: number): number {
  return Math.round((kb * 1_024) / 1e6);
}
