import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "pino";
import { cutConnection } from "../http/cut-connection.ts";

const CONNECT_WITHIN_MS = 2_000;
/** Taking or giving back a lock waits for nothing; a database that takes longer is not there. */
const ANSWER_WITHIN_MS = 2_000;
/** Where the network swallows everything, the database gives our locks to others after about half a minute. */
const KEEP_ALIVE = "set tcp_keepalives_idle = 15; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3";

/**
 * Locks by name across all services on one database: PostgreSQL's advisory locks, all of them held by one connection that
 * is not of the pool, so that work that waits for a provider keeps no connection from anybody. It is made when it is first
 * needed and anew after it was lost. With it the locks are lost too, and another service may begin what is still going on
 * here: so the work must bear being done twice.
 */
export class JobLocks {
  readonly #url: string;
  readonly #log: Logger;
  /** A session is given a lock again that it has: what keeps the same work from running twice here is this. */
  readonly #busy = new Set<string>();
  #session: Session | null = null;
  #closed = false;

  constructor(databaseUrl: string, log: Logger) {
    this.#url = databaseUrl;
    this.#log = log;
  }

  /**
   * Does the work with the lock of this name, or nothing when the lock is taken, here or elsewhere, or this is closed.
   * @throws what the work throws; Error when the database cannot be asked for the lock
   */
  async hold(name: string, work: () => Promise<void>): Promise<void> {
    if (this.#busy.has(name) || this.#closed) return;
    this.#busy.add(name);
    try {
      const session = (this.#session ??= this.#open());
      if (!(await this.#ask(session, "select pg_try_advisory_lock(hashtext($1)) as yes", name))) return;
      try {
        await work();
      } finally {
        await this.#giveBack(session, name);
      }
    } finally {
      this.#busy.delete(name);
    }
  }

  /** Leaves the database, and with it all locks. */
  async close(): Promise<void> {
    this.#closed = true;
    const session = this.#session;
    this.#session = null;
    if (session === null) return;
    const ended = session.client.end().catch(() => undefined);
    await Promise.race([ended, pause(ANSWER_WITHIN_MS, undefined, { ref: false })]);
    cutConnection(session.client);
  }

  /** What cannot be given back goes with the connection. */
  async #giveBack(session: Session, name: string): Promise<void> {
    if (this.#session !== session) return;
    await this.#ask(session, "select pg_advisory_unlock(hashtext($1)) as yes", name).catch((error: unknown) =>
      this.#log.warn({ err: error, job: name }, "job lock not given back"),
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
      // It may have the lock or not; its end makes that plain.
      this.#forget(session);
      cutConnection(session.client);
      throw error;
    }
  }

  #open(): Session {
    const client = new pg.Client({
      connectionString: this.#url,
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
  /** It takes one question at a time. After a failure none is asked any more. */
  lastAnswer: Promise<unknown>;
}
