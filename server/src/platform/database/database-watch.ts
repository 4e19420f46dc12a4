import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { settleWithin } from "@farline/domain/durations.ts";
import pg from "pg";
import type { Logger } from "pino";
import { cutConnection, sessionUrl } from "./database-session.ts";

interface Probe {
  readonly sql: string;
  readonly everyMs: number;
  /** A database that takes longer cannot do useful work. */
  readonly withinMs: number;
}
const READ: Probe = { sql: "select 1", everyMs: 250, withinMs: 1_000 };
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
  #hasConnection = true;

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
      } catch (error) {
        if (signal.aborted) return;
        if (this.#hasConnection) this.#log.error({ err: error }, "no database connection can be had");
        this.#hasConnection = false;
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
    for (const client of this.#clients) cutConnection(client);
  }
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
