import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Logger } from "pino";
import type { TrunkConfig } from "../trunk.ts";

const LOOK_AGAIN_MS = 300_000;

/** The addresses of all trunks, kept up to date: nobody else has anything to say to the exchange before it has called them. */
export class TrunkAddresses {
  #names: readonly string[] = [];
  readonly #log: Logger;
  #fixed: ReadonlySet<string> = new Set();
  #found: ReadonlySet<string> = new Set();
  readonly #timer: NodeJS.Timeout;

  constructor(trunks: readonly TrunkConfig[], log: Logger) {
    this.#log = log;
    this.use(trunks);
    // oxlint-disable-next-line farline/bounded-timers -- as long as the trunks
    this.#timer = setInterval(() => void this.#look(), LOOK_AGAIN_MS).unref();
  }

  /** Replaces the trunks. */
  use(trunks: readonly TrunkConfig[]): void {
    const hosts = trunks.flatMap(({ host, redirectHosts }) => [host, ...(redirectHosts ?? [])]);
    this.#fixed = new Set(hosts.filter((host) => isIP(host) !== 0));
    this.#names = [...new Set(hosts.filter((host) => isIP(host) === 0))];
    void this.#look();
  }

  has(address: string): boolean {
    return this.#fixed.has(address) || this.#found.has(address);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const answers = await Promise.all(this.#names.map((name) => this.#addressesOf(name)));
    this.#found = new Set(answers.flat());
  }

  async #addressesOf(name: string): Promise<string[]> {
    try {
      return (await lookup(name, { all: true })).map(({ address }) => address);
    } catch (error) {
      this.#log.warn({ err: error, host: name }, "trunk's host not found");
      return [];
    }
  }
}
