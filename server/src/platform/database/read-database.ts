import { settleWithin } from "@farline/domain/durations.ts";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "pino";
import { AppError } from "../app-error.ts";
import type { Metric } from "../metric.ts";
import { cutConnection } from "./database-session.ts";
import { type Database, type DatabaseHandle, openDatabase } from "./database.ts";

/** What a query of the reading database may use: a function that writes or locks takes `Tx` or `Transaction` and cannot be given it. */
export type Reader = Pick<Database, "selectFrom" | "with" | "withRecursive" | "fn" | "getExecutor">;

/**
 * Runs a query that may be seconds old: lists, figures and public pages; never what decides money, sessions or limits. The query may run twice.
 */
export type Read = <Result>(query: (db: Reader) => Promise<Result>) => Promise<Result>;

/** Reads of an installation, or a process, without a reading database. */
export function readsOf({ db }: DatabaseHandle): Read {
  return (query) => query(db);
}

/** An older reading database is not used. */
const MAX_LAG_MS = 5_000;
const MEASURE_EVERY_MS = 1_000;
/** Then it counts as gone, and its connections are cut. */
const ANSWER_WITHIN_MS = 2_000;
/** Positions of the primary's log that the reading database has not reached yet: a minute. */
const MAX_POSITIONS = 60;
/** The metric's value without a reading database. */
const NONE = -1;

const PRIMARY = "select pg_current_wal_lsn()::text as lsn, system_identifier::text as system from pg_control_system()";
const STANDBY =
  "select pg_last_wal_replay_lsn()::text as lsn, system_identifier::text as system, pg_is_in_recovery() as standby from pg_control_system()";

interface Position {
  readonly lsn: string | null;
  readonly system: string;
  readonly standby?: boolean;
}

/**
 * A streaming standby for queries that may be old (`DATABASE_READ_URL`). How old is measured by positions in the primary's log, so that neither
 * clocks nor a quiet primary matter. Whenever it is too old, does not answer or is no standby of this primary, queries run on the primary.
 */
export class ReadDatabase {
  readonly #primary: DatabaseHandle;
  readonly #standby: DatabaseHandle;
  readonly #log: Logger;
  readonly #nowMs: () => number;
  readonly #clients = new Set<pg.PoolClient>();
  readonly #stop = new AbortController();
  #done = Promise.resolve();
  /** When the primary's log was at each position, the oldest first. */
  #ahead: { readonly at: number; readonly lsn: bigint }[] = [];
  /** Until when the standby had everything; before the first measurement it has nothing. */
  #completeUntil = Number.NEGATIVE_INFINITY;
  #wasUsed = false;

  /** @param nowMs a clock that is never set back */
  constructor(url: string, { primary, poolSize, log, nowMs = () => performance.now() }: ReadDatabaseOptions) {
    this.#primary = primary;
    this.#log = log;
    this.#nowMs = nowMs;
    this.#standby = openDatabase(readOnly(url), poolSize, log);
    this.#standby.pool.on("connect", (client) => this.#clients.add(client));
    this.#standby.pool.on("remove", (client) => this.#clients.delete(client));
  }

  start(): void {
    this.#done = this.#watch();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#done;
    await this.#standby.close();
  }

  /** How old its rows may be. */
  get lagSeconds(): number {
    return (this.#nowMs() - this.#completeUntil) / 1_000;
  }

  readonly read: Read = async (query) => {
    if (this.#isUsed) {
      try {
        return await query(this.#standby.db);
      } catch (error) {
        if (!isOfStandby(error)) throw error;
        this.#log.warn({ err: error }, "a query is repeated on the primary");
      }
    }
    return query(this.#primary.db);
  };

  get #isUsed(): boolean {
    return this.#nowMs() - this.#completeUntil <= MAX_LAG_MS;
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const answer = await settleWithin(
        this.measure().catch((error: unknown) => error),
        ANSWER_WITHIN_MS,
        () => new Error("no answer"),
      );
      if (answer instanceof Error) this.#lose(answer);
      if (this.#isUsed !== this.#wasUsed) this.#log.warn({ used: this.#isUsed }, "the reading database is used, or not");
      this.#wasUsed = this.#isUsed;
      await pause(MEASURE_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Compares the two logs. @throws Error if one does not answer, or if it is not a standby of this primary */
  async measure(): Promise<void> {
    const at = this.#nowMs();
    const [primary, standby] = [await positionOf(this.#primary, PRIMARY), await positionOf(this.#standby, STANDBY)];
    if (standby.system !== primary.system || standby.standby !== true)
      throw new Error("DATABASE_READ_URL does not lead to a standby of DATABASE_URL.");
    if (this.#ahead.length < MAX_POSITIONS) this.#ahead.push({ at, lsn: numberOf(primary.lsn) });
    const replayed = numberOf(standby.lsn);
    const reached = this.#ahead.filter(({ lsn }) => lsn <= replayed);
    this.#completeUntil = Math.max(this.#completeUntil, reached.at(-1)?.at ?? Number.NEGATIVE_INFINITY);
    this.#ahead = this.#ahead.slice(reached.length);
  }

  /** Queries that wait on its connections go to the primary now. */
  #lose(error: unknown): void {
    if (this.#wasUsed) this.#log.error({ err: error }, "the reading database does not answer");
    this.#completeUntil = Number.NEGATIVE_INFINITY;
    this.#ahead = [];
    for (const client of this.#clients) cutConnection(client);
  }
}

interface ReadDatabaseOptions {
  readonly primary: DatabaseHandle;
  readonly poolSize: number;
  readonly log: Logger;
  readonly nowMs?: () => number;
}

/** Metrics of the reading database. @param database null if there is none */
export function readDatabaseMetrics(database: ReadDatabase | null): Metric[] {
  return [
    {
      name: "farline_read_database_lag_seconds",
      help: "How old the reading database's rows may be; infinite while it cannot be used, -1 if there is none",
      read: async () => database?.lagSeconds ?? NONE,
      runbook: "reading-database",
      level: "ticket",
      warning: (seconds) => {
        if (seconds * 1_000 <= MAX_LAG_MS) return null;
        const why = Number.isFinite(seconds)
          ? `is ${Math.floor(seconds)} seconds behind`
          : "does not answer, or is no standby of the primary";
        return `The reading database ${why}: lists and figures are read from the primary.`;
      },
    },
  ];
}

/** What only the standby has to do with: a lost connection, its shutdown, or a conflict with the log that it replays. */
function isOfStandby(error: unknown): boolean {
  if (error instanceof AppError) return false;
  return !(error instanceof pg.DatabaseError) || /^(?:08|57P|40001)/.test(error.code ?? "");
}

async function positionOf({ pool }: DatabaseHandle, question: string): Promise<Position> {
  const [position] = (await pool.query<Position>(question)).rows;
  if (position === undefined) throw new Error("A database has no position in its log.");
  return position;
}

/** "16/B374D848" as one number. */
function numberOf(lsn: string | null): bigint {
  const [high = "", low = ""] = (lsn ?? "").split("/");
  return (BigInt(`0x${high || 0}`) << 32n) + BigInt(`0x${low || 0}`);
}

/** A standby is read-only by itself; this also holds for an address that leads elsewhere. */
function readOnly(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  const given = url.searchParams.get("options");
  url.searchParams.set("options", [...(given === null ? [] : [given]), "-c default_transaction_read_only=on"].join(" "));
  return url.href;
}
