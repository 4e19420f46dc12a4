import { settleWithin } from "../settle-within.ts";
import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "pino";
import { cutConnection } from "../cut-connection.ts";

const ASK_EVERY_MS = 250;
/** A commit also waits for the disk and a synchronous standby, while reads still answer. */
const COMMIT_EVERY_MS = 1_000;
const COMMIT = "select pg_logical_emit_message(true, 'farline', 'heartbeat')";
/** Only if it still waits: another process may have its id by now. */
const CANCEL =
  "select pg_cancel_backend(pid) from pg_stat_activity where pid = $1 and wait_event = 'SyncRep' and application_name = 'farline-watch'";
/** A database that takes longer cannot do useful work. */
const ANSWER_WITHIN_MS = 1_000;
/** Longer than an answer, because PostgreSQL starts a process for each connection. */
const CONNECT_WITHIN_MS = 2_000;
/** If the timer fires this late, this process was starved, and the time-out says nothing about the database. */
const OWN_DELAY_MS = 250;

/**
 * Polls the database over a dedicated connection, and commits there once a second. While it does not answer, requests fail at once and the pool's
 * connections are cut: on a network that drops packets, they would block requests and jobs for minutes. The database rolls
 * back cut transactions, or a retry finds their result by its idempotency key.
 */
export class DatabaseWatch {
  readonly #url: string;
  readonly #log: Logger;
  readonly #clients = new Set<pg.PoolClient>();
  readonly #stop = new AbortController();
  #done = Promise.resolve();
  #answering = true;

  constructor(databaseUrl: string, pool: pg.Pool, log: Logger) {
    this.#url = databaseUrl;
    this.#log = log;
    pool.on("connect", (client) => this.#clients.add(client));
    pool.on("remove", (client) => this.#clients.delete(client));
  }

  /** Call it just before serving: start-up work can starve a small machine and look like an outage. */
  start(): void {
    this.#done = this.#watch();
  }

  get answering(): boolean {
    return this.#answering;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stop;
    let client: pg.Client | null = null;
    let committedAt = -Infinity;
    /** The process of a commit that does not return. It would wait for good, even without us. */
    let stuck: number | null = null;
    while (!signal.aborted) {
      try {
        client ??= await this.#connect();
        if (stuck !== null) await answerOf(client.query(CANCEL, [stuck]));
        stuck = null;
        const isDue = !this.#answering || performance.now() - committedAt >= COMMIT_EVERY_MS;
        await answerOf(client.query(isDue ? COMMIT : "select 1"));
        if (isDue) committedAt = performance.now();
        if (!this.#answering) this.#log.info("the database answers again");
        this.#answering = true;
      } catch (error) {
        if (client !== null) {
          stuck = processOf(client);
          cutConnection(client);
        }
        client = null;
        this.#lose(error);
      }
      await pause(ASK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
    if (client !== null) cutConnection(client);
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.#url,
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

  #lose(error: unknown): void {
    if (this.#answering) this.#log.error({ err: error }, "the database does not answer");
    this.#answering = false;
    for (const client of this.#clients) cutConnection(client);
  }
}

/** The id of the server's process; null before it has said so. */
function processOf(client: pg.Client): number | null {
  return (client as unknown as { processID: number | null }).processID;
}

/** @throws Error when the answer is late */
async function answerOf(question: Promise<unknown>): Promise<void> {
  for (;;) {
    const began = performance.now();
    const answered = question.then(() => true);
    if (await settleWithin(answered, ANSWER_WITHIN_MS, false)) return;
    question.catch(() => undefined); // it rejects when the connection is cut
    if (performance.now() - began < ANSWER_WITHIN_MS + OWN_DELAY_MS) throw new Error("no answer in time");
  }
}
