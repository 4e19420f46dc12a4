import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { settleWithin } from "@farline/domain/durations.ts";
import pg from "pg";
import type { Logger } from "pino";
import { sql } from "kysely";
import type { Metric, Warned } from "../metric.ts";
import { cutConnection, sessionUrl } from "./database-session.ts";
import type { DatabaseHandle } from "./database.ts";

/** With `archive_timeout = 60`, a segment is archived each minute; the watch of the database writes each second. */
const LATE_SECONDS = 15 * 60;
/** The value of both metrics for a database that archives nothing, or that is backed up in another way. */
const OFF = -1;

interface Probe {
  readonly sql: string;
  readonly everyMs: number;
  /** A database that takes longer cannot do useful work. */
  readonly withinMs: number;
}
/** A read can take more than a second while both cores of a small machine are busy. */
const READ: Probe = { sql: "select 1", everyMs: 250, withinMs: 2_500 };
/** Commits fit into existing files while a disk is full, so a megabyte that may not stay in memory goes to a temporary file. */
const NEEDS_DISK = `set local work_mem = '64kB';
  select sum(length(page)) from (select repeat('x', 8000) as page from generate_series(1, 128) order by random()) as sorted`;
const NEEDS_WRITES = "update schema_version set version = version where false";
/** A commit also waits for the disk, which may be busy, and for a synchronous standby, while reads still answer. */
const COMMIT: Probe = {
  sql: `${NEEDS_DISK}; ${NEEDS_WRITES}; select pg_logical_emit_message(true, 'farline', 'heartbeat')`,
  everyMs: 1_000,
  withinMs: 3_000,
};
/** Only if it still waits: another process may have its id by now. */
const CANCEL =
  "select pg_cancel_backend(pid) from pg_stat_activity where pid = $1 and wait_event = 'SyncRep' and application_name = 'farline-watch'";
/** Longer than an answer, because PostgreSQL starts a process for each connection. */
const CONNECT_WITHIN_MS = 2_000;
/** If the timer fires this late, this process was starved, and the time-out says nothing about the database. */
const OWN_DELAY_MS = 250;

const CONNECTION_EVERY_MS = 1_000;
/** PostgreSQL's code for a write in a read-only transaction. */
const READ_ONLY = "25006";

/** Somebody whose locks others wait for. */
interface LockHolder {
  readonly pid: number;
  readonly application: string;
  readonly user: string;
  /** `active`, or `idle in transaction` as of a person at a prompt. */
  readonly state: string;
  readonly since: Date;
  readonly seconds: number;
  /** How many of this database's transactions wait for it. */
  readonly waiting: number;
}

/** Then the rest is soon gone. */
const NEARLY_USED_UP_PERCENT = 90;
const USED_CONNECTIONS = `
  select (100 * count(*) / current_setting('max_connections')::int)::int as percent from pg_stat_activity where backend_type = 'client backend'`;

/** Who blocks others that have waited for 2 s, and is not blocked itself: ending it ends the queue. Another role's details are null without `pg_read_all_stats`. */
const LOCK_HOLDER = `
  select holder.pid, coalesce(holder.application_name, '') as application, coalesce(holder.usename, '?') as "user",
    coalesce(holder.state, 'active') as state, coalesce(holder.xact_start, holder.backend_start, now()) as since,
    greatest(1, extract(epoch from now() - coalesce(holder.xact_start, holder.backend_start, now())))::int as seconds,
    count(*)::int as waiting
  from pg_locks waits
  cross join lateral unnest(pg_blocking_pids(waits.pid)) as blocker (pid)
  join pg_stat_activity holder on holder.pid = blocker.pid
  where not waits.granted and waits.waitstart < now() - interval '2 seconds'
    and cardinality(pg_blocking_pids(holder.pid)) = 0
  group by holder.pid, holder.application_name, holder.usename, holder.state, holder.xact_start, holder.backend_start
  order by waiting desc limit 1`;

/**
 * Polls the database over two dedicated connections: one reads, the other commits. While one gets no answer, requests fail at
 * once and the pool's connections are cut: on a network that drops packets, they would block requests and jobs for minutes. The
 * database rolls back cut transactions, or a retry finds their result by its idempotency key.
 */
export class DatabaseWatch {
  readonly #url: string;
  readonly #log: Logger;
  readonly #clients = new Set<pg.PoolClient>();
  readonly #stop = new AbortController();
  #done = Promise.resolve();
  readonly #failing = new Set<Probe>();
  readonly #pool: pg.Pool;
  /** Why, and since when. */
  readonly #reasons = new Map<Probe, { readonly error: unknown; readonly since: Date }>();
  #hasConnection = true;
  #withoutConnectionSince: Date | null = null;
  #lockHolder: LockHolder | null = null;
  #usedPercent = 0;

  constructor(databaseUrl: string, pool: pg.Pool, log: Logger) {
    this.#url = databaseUrl;
    this.#pool = pool;
    this.#log = log;
    pool.on("connect", (client) => this.#clients.add(client));
    pool.on("remove", (client) => this.#clients.delete(client));
  }

  /** Call it just before serving: start-up work can starve a small machine and look like an outage. */
  start(): void {
    this.#done = Promise.all([this.#watch(READ), this.#watch(COMMIT), this.#watchConnections()]).then(() => undefined);
  }

  get answering(): boolean {
    return this.#failing.size === 0;
  }

  /** Who makes our transactions wait for a lock; null if nobody has for seconds. */
  get lockHolder(): LockHolder | null {
    return this.#lockHolder;
  }

  /** Of the connections that the server gives to all programs together, those in use. */
  get usedPercent(): number {
    return this.#usedPercent;
  }

  /** What is wrong with the database, for operators; null if it reads, writes and takes connections. */
  trouble(): Warned | null {
    const [[probe, known] = []] = this.#reasons;
    if (known !== undefined) {
      const text = isReadOnly(known.error)
        ? "The database takes no writes."
        : probe === READ
          ? "The database does not answer."
          : "The database does not commit, or has no room.";
      return { text, detail: `Requests are refused. The last error is ${codeOf(known.error)}.`, since: known.since };
    }
    if (this.#hasConnection) return null;
    return {
      text: "The database gives the service no further connection.",
      detail: `${this.#pool.totalCount} of the service's ${this.#pool.options.max} are open, and ${this.#pool.waitingCount} requests wait.`,
      since: this.#withoutConnectionSince,
    };
  }

  /** Whether a request would get a connection in time: the server and the pool have room. Without it, the service is not ready. */
  get hasConnection(): boolean {
    return this.#hasConnection;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #watch(probe: Probe): Promise<void> {
    const { signal } = this.#stop;
    let client: pg.Client | null = null;
    /** The process of a commit that does not return. It would wait for good, even without us. */
    let stuck: number | null = null;
    while (!signal.aborted) {
      try {
        client ??= await this.#connect();
        if (stuck !== null) await answerOf(client.query(CANCEL, [stuck]), READ.withinMs);
        stuck = null;
        await answerOf(client.query(probe.sql), probe.withinMs);
        if (probe === COMMIT) {
          this.#lockHolder = (await readRows<LockHolder>(client, LOCK_HOLDER))[0] ?? null;
          this.#usedPercent = (await readRows<{ percent: number }>(client, USED_CONNECTIONS))[0]?.percent ?? 0;
        }
        this.#reasons.delete(probe);
        if (this.#failing.delete(probe) && this.answering) this.#log.info("the database answers again");
      } catch (error) {
        if (client !== null) {
          stuck = processOf(client);
          cutConnection(client);
        }
        client = null;
        this.#lose(probe, error);
      }
      await pause(this.#failing.has(probe) ? READ.everyMs : probe.everyMs, undefined, { signal }).catch(() => undefined);
    }
    if (client !== null) cutConnection(client);
  }

  /** Our own connections say nothing about the room for others. */
  async #watchConnections(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#tryConnection();
        if (!this.#hasConnection) this.#log.info("the database has connections again");
        this.#hasConnection = true;
        this.#withoutConnectionSince = null;
      } catch (error) {
        if (signal.aborted) return;
        if (this.#hasConnection) this.#log.error({ err: error }, "no database connection can be had");
        this.#hasConnection = false;
        this.#withoutConnectionSince ??= new Date();
      }
      await pause(CONNECTION_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** A full pool must give one back within the time that requests wait for it; another would have to grow. */
  async #tryConnection(): Promise<void> {
    if (this.#pool.totalCount >= this.#pool.options.max) return (await this.#pool.connect()).release();
    const client = await this.#connect();
    await settleWithin(client.end(), READ.withinMs, () => cutConnection(client));
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: sessionUrl(this.#url),
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      application_name: "farline-watch",
    });
    client.on("error", (error) => this.#log.debug({ err: error }, "watching connection lost"));
    try {
      await client.connect();
    } catch (error) {
      cutConnection(client);
      throw error;
    }
    return client;
  }

  #lose(probe: Probe, error: unknown): void {
    if (this.answering) this.#log.error({ err: error }, "the database does not answer");
    this.#failing.add(probe);
    this.#reasons.set(probe, { error, since: this.#reasons.get(probe)?.since ?? new Date() });
    for (const client of this.#clients) cutConnection(client);
  }
}

/** Metrics of locks and connections for monitoring. */
export function watchMetrics(watch: Pick<DatabaseWatch, "lockHolder" | "usedPercent">): Metric[] {
  return [
    {
      name: "farline_database_connections_percent",
      help: "Of the connections that the database gives to all programs together, those in use",
      inMemory: true,
      read: async () => watch.usedPercent,
      runbook: "service-errors",
      level: "page",
      warning: (percent) =>
        percent < NEARLY_USED_UP_PERCENT
          ? null
          : {
              text: `${percent} % of the database's connections are in use.`,
              detail: "Without one, no service can start, and no command or back-up runs.",
            },
    },
    {
      name: "farline_lock_held_seconds",
      help: "For how long the oldest transaction that our requests wait for has held its locks; 0 if none waits for seconds",
      inMemory: true,
      read: async () => watch.lockHolder?.seconds ?? 0,
      runbook: "database-held",
      level: "page",
      warning(seconds) {
        const { lockHolder: holder } = watch;
        if (seconds === 0 || holder === null) return null;
        return {
          text: `${holder.waiting} of our transactions wait for a lock that "${holder.application || "an unnamed program"}" of ${holder.user} holds.`,
          detail: `It is process ${holder.pid}, ${holder.state}. To end it: select pg_terminate_backend(${holder.pid});`,
          since: holder.since,
        };
      },
    },
  ];
}

/** @throws Error when the answer is late */
async function readRows<Row extends pg.QueryResultRow>(client: pg.Client, text: string): Promise<Row[]> {
  const query = client.query<Row>(text);
  await answerOf(query, READ.withinMs);
  return (await query).rows;
}

function isReadOnly(error: unknown): boolean {
  return (error as { code?: unknown }).code === READ_ONLY;
}

function codeOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return String(code ?? message);
}

/** The id of the server's process; null before it has said so. */
function processOf(client: pg.Client): number | null {
  return (client as unknown as { processID: number | null }).processID;
}

/** @throws Error when the answer is late */
async function answerOf(question: Promise<unknown>, withinMs: number): Promise<void> {
  for (;;) {
    const began = performance.now();
    const answered = question.then(() => true);
    if (await settleWithin(answered, withinMs, () => false)) return;
    question.catch(() => undefined); // it rejects when the connection is cut
    if (performance.now() - began < withinMs + OWN_DELAY_MS) throw new Error("no answer in time");
  }
}

/** Metrics of the database's continuous back-up, the archive of its write-ahead log, for monitoring. */
export function archiveMetrics({ handle }: { readonly handle: DatabaseHandle }): Metric[] {
  return [
    {
      name: "farline_archive_age_seconds",
      help: "Time since the database's log was last archived; -1 if archiving is off",
      read: async () => (await readArchive(handle)).ageSeconds,
      runbook: "backup-stopped",
      level: "page",
      warning: (seconds) =>
        seconds < LATE_SECONDS ? null : `The database's log has not been archived for ${Math.floor(seconds / 60)} minutes.`,
    },
    {
      name: "farline_archive_failures",
      help: "Failed attempts to archive the database's log since its statistics were reset; -1 if archiving is off",
      read: async () => (await readArchive(handle)).failures,
    },
  ];
}

/** A server that has archived nothing yet, such as a new primary, counts from its start. */
async function readArchive({ db }: DatabaseHandle): Promise<{ readonly ageSeconds: number; readonly failures: number }> {
  const { rows } = await sql<{ on: boolean; age: number; failures: number }>`
    select current_setting('archive_mode') <> 'off' as on, failed_count::int as failures,
      greatest(0, floor(extract(epoch from now() - coalesce(last_archived_time, pg_postmaster_start_time()))))::int as age
    from pg_stat_archiver`.execute(db);
  const [row] = rows;
  return row?.on === true ? { ageSeconds: row.age, failures: row.failures } : { ageSeconds: OFF, failures: OFF };
}
