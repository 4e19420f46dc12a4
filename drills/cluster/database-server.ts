import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { childrenOf } from "../support/processes.ts";
import { Child } from "../support/child.ts";

const ANSWER_WITHIN_MS = 2_000;

/** A server as Patroni describes it at `/cluster`. */
export interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

/** A PostgreSQL server and the Patroni that runs it: both are killed and stopped together, as when a machine fails. */
export class DatabaseServer {
  readonly name: string;
  readonly #address: string;
  readonly #data: string;
  readonly #patroni: Child;

  constructor(
    folder: string,
    given: {
      name: string;
      address: string;
      config: (place: { name: string; address: string; data: string; sockets: string }) => string;
    },
  ) {
    this.name = given.name;
    this.#address = given.address;
    const home = join(folder, `server-${given.name}`);
    mkdirSync(home, { recursive: true });
    this.#data = join(home, "data");
    const config = join(home, "patroni.yml");
    writeFileSync(config, given.config({ ...given, data: this.#data, sockets: join(home, "sockets") }));
    this.#patroni = new Child("patroni", { parameters: [config], log: join(folder, `patroni-${given.name}.log`) });
  }

  start(): void {
    this.#patroni.start();
  }

  async kill(): Promise<void> {
    const postmaster = this.#postmaster();
    await this.#patroni.kill();
    if (postmaster !== null) process.kill(postmaster, "SIGKILL");
  }

  /** Neither runs nor ends, as on a machine whose disk or host hangs. */
  hang(): void {
    this.#patroni.signal("SIGSTOP");
    for (const pid of this.#databaseProcesses()) process.kill(pid, "SIGSTOP");
  }

  goOn(): void {
    for (const pid of this.#databaseProcesses()) process.kill(pid, "SIGCONT");
    this.#patroni.signal("SIGCONT");
  }

  /** The whole cluster as this server sees it; empty if it does not answer. */
  async members(): Promise<readonly Member[]> {
    try {
      const response = await fetch(`http://${this.#address}:8008/cluster`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
      return ((await response.json()) as { members: Member[] }).members;
    } catch {
      return [];
    }
  }

  #databaseProcesses(): number[] {
    const postmaster = this.#postmaster();
    return postmaster === null ? [] : [postmaster, ...childrenOf(postmaster)];
  }

  #postmaster(): number | null {
    const file = join(this.#data, "postmaster.pid");
    if (!existsSync(file)) return null;
    const pid = Number(readFileSync(file, "utf8").split("\n")[0]);
    return existsSync(`/proc/${pid}`) ? pid : null;
  }
}
