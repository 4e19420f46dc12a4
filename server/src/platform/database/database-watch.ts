import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "pino";
import { AppError } from "../http/app-error.ts";
import { cutConnection } from "../http/cut-connection.ts";
import type { App } from "../http/http.ts";

const ASK_EVERY_MS = 250;
/** A database that cannot say "1" in this time cannot do anything else either. */
const ANSWER_WITHIN_MS = 1_000;
/** A connection is a process that the database starts. */
const CONNECT_WITHIN_MS = 2_000;
/** A timer that comes this late means that this process had no time itself: its impatience proves nothing. */
const OWN_DELAY_MS = 250;
const RETRY_AFTER_SECONDS = 2;
/** They tell how the service is, or need no database. */
const ALWAYS_OPEN: ReadonlySet<string> = new Set(["/api/health", "/api/ready", "/api/config"]);

/**
 * Watches whether the database answers, over a connection of its own. While it does not, requests are refused at once
 * rather than left waiting, and the pool's connections are cut: behind a network that swallows packets they would hang for
 * many minutes, and with them every request and job that holds one. Whatever was cut is undone by the database or is
 * found again by its key.
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

  /** To be called when the service is about to serve: what makes it ready may keep a small machine busier than serving does. */
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
    while (!signal.aborted) {
      try {
        client ??= await this.#connect();
        await answerOf(client.query("select 1"));
        if (!this.#answering) this.#log.info("the database answers again");
        this.#answering = true;
      } catch (error) {
        if (client !== null) cutConnection(client);
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

/** Refuses what needs the database while it does not answer. Call it before the routes are added. */
export function refuseWithoutDatabase(app: App, watch: Pick<DatabaseWatch, "answering">): void {
  app.addHook("onRequest", async (request) => {
    if (watch.answering) return;
    const { url = "" } = request.routeOptions;
    if (!url.startsWith("/api/") || ALWAYS_OPEN.has(url)) return;
    throw new AppError("unavailable", "The service is not ready. Try again in a moment.", {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  });
}

/** @throws Error when it does not come in time */
async function answerOf(question: Promise<unknown>): Promise<void> {
  for (;;) {
    const began = performance.now();
    const timer = new AbortController();
    const late = pause(ANSWER_WITHIN_MS, "late" as const, { signal: timer.signal });
    late.catch(() => undefined); // called off
    const first = await Promise.race([question.then(() => "answered" as const), late]).finally(() => timer.abort());
    if (first === "answered") return;
    question.catch(() => undefined); // ends when the connection is cut
    if (performance.now() - began < ANSWER_WITHIN_MS + OWN_DELAY_MS) throw new Error("no answer in time");
  }
}
