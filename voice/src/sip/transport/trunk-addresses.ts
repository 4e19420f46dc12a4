import { isIP } from "node:net";
import type { Destination } from "@farline/sip/transport/order-targets.ts";
import type { Target } from "@farline/sip/transport/target.ts";
import type { Logger } from "pino";
import { sipTransport, type TrunkConfig } from "../trunk.ts";

const LOOKUP_INTERVAL_MS = 300_000;

export interface TrunkAddressesOptions {
  readonly resolve: (destination: Destination) => Promise<readonly Target[]>;
  readonly log: Logger;
}

/** The current addresses of all trunks. Only they may connect to us, and send requests outside our calls. */
export class TrunkAddresses {
  readonly #options: TrunkAddressesOptions;
  #names: readonly Destination[] = [];
  #fixed: ReadonlySet<string> = new Set();
  #resolved: ReadonlySet<string> = new Set();
  readonly #timer: NodeJS.Timeout;

  constructor(options: TrunkAddressesOptions) {
    this.#options = options;
    // oxlint-disable-next-line farline/bounded-timers -- ends with `close`
    this.#timer = setInterval(() => void this.#resolveAll(), LOOKUP_INTERVAL_MS).unref();
  }

  use(trunks: readonly TrunkConfig[]): void {
    const destinations = trunks.flatMap(destinationsOf);
    this.#fixed = new Set(destinations.map(({ host }) => host).filter((host) => isIP(host) !== 0));
    this.#names = destinations.filter(({ host }) => isIP(host) === 0);
    void this.#resolveAll();
  }

  has(address: string): boolean {
    return this.#fixed.has(address) || this.#resolved.has(address);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #resolveAll(): Promise<void> {
    const answers = await Promise.all(this.#names.map((destination) => this.#addressesOf(destination)));
    this.#resolved = new Set(answers.flat());
  }

  async #addressesOf(destination: Destination): Promise<string[]> {
    try {
      return (await this.#options.resolve(destination)).map(({ address }) => address);
    } catch (error) {
      this.#options.log.warn({ err: error, host: destination.host }, "host of trunk not found");
      return [];
    }
  }
}

function destinationsOf({ host, port, transport, redirectHosts = [] }: TrunkConfig): Destination[] {
  const others = redirectHosts.map((name) => ({ host: name, port: null, transport: sipTransport(transport) }));
  return [{ host, port, transport: sipTransport(transport) }, ...others];
}
