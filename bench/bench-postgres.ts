import { mkdtempSync, rmSync, existsSync, globSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase, type DatabaseHandle } from "@farline/server/platform/database/database.ts";
import { startLocalPostgres } from "@farline/server/platform/database/local-postgres.ts";
import { createLog } from "@farline/server/platform/log.ts";
import { migrate } from "@farline/server/platform/database/migrate.ts";
import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** A PostgreSQL instance with the service's tables, for one measurement. */
export interface BenchPostgres {
  readonly url: string;
  readonly handle: DatabaseHandle;
  /** The version and the settings that affect the measurement. */
  readonly facts: Record<string, string>;
  close(): Promise<void>;
}

const SHOWN = ["server_version", "synchronous_commit", "fsync", "full_page_writes", "shared_buffers", "max_wal_size"];

/** A filled instance that another process started. */
export async function openBenchPostgres(url: string, poolSize: number): Promise<BenchPostgres> {
  const handle = openDatabase(url, poolSize, createLog("silent", "bench"));
  return { url, handle, facts: await readFacts(handle), close: () => handle.close() };
}

/**
 * @param options.poolSize connections of `handle.pool`, all open when this returns
 * @param options.settings in addition to those of the product's own PostgreSQL
 */
export async function startBenchPostgres(options: { poolSize: number; settings?: readonly string[] }): Promise<BenchPostgres> {
  const directory = mkdtempSync(join(tmpdir(), "farline-bench-postgres-"));
  const log = createLog("silent", "bench");
  const server = await startLocalPostgres({ directory, settings: options.settings ?? [] });
  const stop = async () => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  const interrupted = () => void stop().finally(() => process.exit(1));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, interrupted);
  await migrate(server.url, log);
  const handle = openDatabase(server.url, options.poolSize, log);
  const clients = await Promise.all(Array.from({ length: options.poolSize }, () => handle.pool.connect()));
  for (const client of clients) client.release();
  return {
    url: server.url,
    handle,
    facts: await readFacts(handle),
    async close() {
      await handle.close();
      await stop();
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, interrupted);
    },
  };
}

async function readFacts({ pool }: DatabaseHandle): Promise<Record<string, string>> {
  const facts: Record<string, string> = {};
  for (const name of SHOWN) {
    const { rows } = await pool.query<{ value: string }>("select current_setting($1) as value", [name]);
    facts[name] = rows[0]?.value ?? "";
  }
  return facts;
}

/** Runs statements without a time-out. */
export async function runLong(postgres: BenchPostgres, ...statements: readonly string[]): Promise<void> {
  const client = await postgres.handle.pool.connect();
  try {
    await client.query("set statement_timeout = 0");
    for (const statement of statements) await client.query(statement);
    await client.query("reset statement_timeout");
  } finally {
    client.release();
  }
}

/** The id of customer `n`, as SQL. */
export const CUSTOMER_ID = "('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid";

export function customerId(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
}

/** Opens the accounts of the customers 0 to `last`, each with credit. */
export async function openAccounts(postgres: BenchPostgres, last: number, creditMicros: bigint): Promise<void> {
  const all = `from generate_series(0, ${last}) n`;
  await runLong(
    postgres,
    `insert into customer (id, name, email, email_key, created_at)
      select ${CUSTOMER_ID}, 'Caller', n || '@example.com', n || '@example.com', now() ${all}`,
    `select open_account(${CUSTOMER_ID}) ${all}`,
    `select post_credit(gen_random_uuid(), 'bench:' || n, ${CUSTOMER_ID}, 'top_up', ${creditMicros}, null, 'Top-up') ${all}`,
    "analyze",
  );
}

const run = promisify(execFile);
const LIMIT_MS = 10 * 60_000;

/** PostgreSQL's load generator. */
export interface Pgbench {
  readonly version: string;
  /** Fills the tables of the TPC-B-like script. */
  initialise(scale: number): Promise<void>;
  /**
   * Runs a script on that many connections with prepared statements.
   * @param script a file, or "tpcb-like" for the built-in one
   * @returns transactions per second, excluding connection time
   */
  transactionsPerSecond(
    script: string,
    load: { clients: number; transactionsEach: number; define?: readonly string[] },
  ): Promise<number>;
}

/** @throws Error that names what to install if pgbench is missing */
export async function findPgbench(url: string): Promise<Pgbench> {
  const program = [
    process.env["PGBENCH"],
    ...globSync("/usr/lib/postgresql/*/bin/pgbench").toSorted().toReversed(),
    "/usr/bin/pgbench",
  ].find((path) => path !== undefined && existsSync(path));
  if (program === undefined)
    throw new Error(
      "This measurement needs pgbench: install PostgreSQL's own package (Debian: postgresql), or set PGBENCH to its path.",
    );
  const { stdout: version } = await run(program, ["--version"]);
  const options = { timeout: LIMIT_MS, maxBuffer: 10 * 1024 * 1024 };
  return {
    version: version.trim(),
    async initialise(scale) {
      await run(program, ["--initialize", "--quiet", `--scale=${scale}`, url], options);
    },
    async transactionsPerSecond(script, { clients, transactionsEach, define = [] }) {
      const which = script === "tpcb-like" ? "--builtin=tpcb-like" : `--file=${script}`;
      const load = [
        `--client=${clients}`,
        "--jobs=2",
        `--transactions=${transactionsEach}`,
        "--no-vacuum",
        "--protocol=prepared",
      ];
      const { stdout } = await run(program, [which, ...load, ...define.map((one) => `--define=${one}`), url], options);
      const failed = /number of failed transactions: (\d+)/.exec(stdout)?.[1] ?? "0";
      const tps = /tps = ([\d.]+) \(without initial connection time\)/.exec(stdout)?.[1];
      if (failed !== "0" || tps === undefined) throw new Error(`pgbench failed:\n${stdout}`);
      return Number(tps);
    },
  };
}
