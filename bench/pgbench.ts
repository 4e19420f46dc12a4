import { execFile } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { promisify } from "node:util";

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
