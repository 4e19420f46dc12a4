import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";

const ANSWER_WITHIN_MS = 5_000;
const AFTER_A_FAILURE_MS = 50;

/** Commits one row after the other, and remembers which ones the database has acknowledged. */
export class AcknowledgedWrites {
  readonly #url: string;
  readonly #acknowledged: number[] = [];
  #running: Promise<void> | null = null;
  #stopping = false;

  constructor(url: string) {
    this.#url = url;
  }

  async start(): Promise<void> {
    await this.#once("create schema drill; create table drill.written (id bigint primary key)");
    this.#running = this.#work();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#running;
  }

  get acknowledged(): number {
    return this.#acknowledged.length;
  }

  /** How many acknowledged rows are not there. */
  async lost(): Promise<number> {
    const [row] = await this.#once<{ lost: string }>(
      "select count(*) as lost from unnest($1::bigint[]) w(id) where not exists (select from drill.written t where t.id = w.id)",
      [this.#acknowledged],
    );
    return Number(row?.lost ?? this.#acknowledged.length);
  }

  async #work(): Promise<void> {
    let client: pg.Client | null = null;
    for (let id = 0; !this.#stopping; id++) {
      try {
        client ??= await this.#connect();
        await client.query("insert into drill.written values ($1)", [id]);
        this.#acknowledged.push(id);
        await pause(5);
      } catch {
        void client?.end().catch(() => {});
        client = null;
        await pause(AFTER_A_FAILURE_MS);
      }
    }
    await client?.end();
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.#url,
      query_timeout: ANSWER_WITHIN_MS,
      connectionTimeoutMillis: ANSWER_WITHIN_MS,
    });
    // The next query fails too, and says it.
    client.on("error", () => {});
    await client.connect();
    return client;
  }

  async #once<Row extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<Row[]> {
    const client = await this.#connect();
    try {
      return (await client.query<Row>(sql, values)).rows;
    } finally {
      await client.end();
    }
  }
}
