import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Logger } from "pino";
import type { TrunkConfig } from "../trunk.ts";

const LOOKUP_INTERVAL_MS = 300_000;

/** The current addresses of all trunks. Only they may connect to us, and send requests outside our calls. */
export class TrunkAddresses {
  #names: readonly string[] = [];
  readonly #log: Logger;
  #fixed: ReadonlySet<string> = new Set();
  #resolved: ReadonlySet<string> = new Set();
  readonly #timer: NodeJS.Timeout;

  constructor(trunks: readonly TrunkConfig[], log: Logger) {
    this.#log = log;
    this.use(trunks);
    // oxlint-disable-next-line farline/bounded-timers -- ends with `close`
    this.#timer = setInterval(() => void this.#resolveAll(), LOOKUP_INTERVAL_MS).unref();
  }

  use(trunks: readonly TrunkConfig[]): void {
    const hosts = trunks.flatMap(({ host, redirectHosts }) => [host, ...(redirectHosts ?? [])]);
    this.#fixed = new Set(hosts.filter((host) => isIP(host) !== 0));
    this.#names = [...new Set(hosts.filter((host) => isIP(host) === 0))];
    void this.#resolveAll();
  }

  has(address: string): boolean {
    return this.#fixed.has(address) || this.#resolved.has(address);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #resolveAll(): Promise<void> {
    const answers = await Promise.all(this.#names.map((name) => this.#addressesOf(name)));
    this.#resolved = new Set(answers.flat());
  }

  async #addressesOf(name: string): Promise<string[]> {
    try {
      return (await lookup(name, { all: true })).map(({ address }) => address);
    } catch (error) {
      this.#log.warn({ err: error, host: name }, "host of trunk not found");
      return [];
    }
  }
}
