import { settleWithin } from "@farline/domain/durations.ts";
import pg from "pg";
import type { Logger } from "pino";
import { cutConnection, sessionUrl } from "../database/database-session.ts";

const CONNECT_WITHIN_MS = 2_000;
/** Lock queries never block, so a database that takes longer is unavailable. */
const ANSWER_WITHIN_MS = 2_000;
/** If the network drops all packets, the database releases our locks after about half a minute. */
const KEEP_ALIVE = "set tcp_keepalives_idle = 15; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3";

/**
 * Named locks across all services on one database: advisory locks on one dedicated connection, so that jobs waiting for a
 * provider do not occupy the pool. A lost connection loses its locks, and another service may start a job that still runs
 * here, so jobs must be safe to run twice.
 */
export class JobLocks {
  readonly #url: string;
  readonly #log: Logger;
  /** Prevents running one job twice in this process: advisory locks are reentrant within a session. */
  readonly #busy = new Set<string>();
  #session: Session | null = null;
  #closed = false;

  constructor(databaseUrl: string, log: Logger) {
    this.#url = databaseUrl;
    this.#log = log;
  }

  /**
   * Runs a function under the named lock. Does nothing if the lock is held, here or elsewhere, or after `close`.
   * @throws what the function throws; Error if the database cannot be reached
   */
  async hold(name: string, run: () => Promise<void>): Promise<void> {
    await this.holdHere(name, async () => {
      const session = (this.#session ??= this.#open());
      if (!(await this.#ask(session, "select pg_try_advisory_lock(hashtext($1)) as yes", name))) return;
      try {
        await run();
      } finally {
        await this.#giveBack(session, name);
      }
    });
  }

  /** `hold` for this process only. @throws what the function throws */
  async holdHere(name: string, run: () => Promise<void>): Promise<void> {
    if (this.#busy.has(name) || this.#closed) return;
    this.#busy.add(name);
    try {
      await run();
    } finally {
      this.#busy.delete(name);
    }
  }

  /** Closes the connection, which releases all locks. */
  async close(): Promise<void> {
    this.#closed = true;
    const session = this.#session;
    this.#session = null;
    if (session === null) return;
    const ended = session.client.end().catch(() => undefined);
    await settleWithin(ended, ANSWER_WITHIN_MS, () => undefined);
    cutConnection(session.client);
  }

  /** A lock that cannot be released is lost with its connection. */
  async #giveBack(session: Session, name: string): Promise<void> {
    if (this.#session !== session) return;
    await this.#ask(session, "select pg_advisory_unlock(hashtext($1)) as yes", name).catch((error: unknown) =>
      this.#log.warn({ err: error, job: name }, "job lock could not be released"),
    );
  }

  async #ask(session: Session, question: string, name: string): Promise<boolean> {
    const answer = session.lastAnswer.then(async () => {
      const { rows } = await session.client.query<{ yes: boolean }>(question, [`job:${name}`]);
      return rows[0]?.yes === true;
    });
    session.lastAnswer = answer;
    try {
      return await answer;
    } catch (error) {
      // The session may hold the lock; cutting the connection releases it.
      this.#forget(session);
      cutConnection(session.client);
      throw error;
    }
  }

  #open(): Session {
    const client = new pg.Client({
      connectionString: sessionUrl(this.#url),
      application_name: "farline-jobs",
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      query_timeout: ANSWER_WITHIN_MS,
      keepAlive: true,
    });
    const session: Session = { client, lastAnswer: client.connect().then(() => client.query(KEEP_ALIVE)) };
    client.on("error", (error) => this.#log.warn({ err: error }, "job locks: database connection lost"));
    client.on("end", () => this.#forget(session));
    return session;
  }

  #forget(session: Session): void {
    if (this.#session === session) this.#session = null;
  }
}

interface Session {
  readonly client: pg.Client;
  /** Queries run one at a time. After a failure, no more are sent. */
  lastAnswer: Promise<unknown>;
}
