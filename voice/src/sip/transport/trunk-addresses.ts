import { isIP } from "node:net";
import type { Destination, Service } from "@farline/sip/transport/order-targets.ts";
import type { Target } from "@farline/sip/transport/target.ts";
import type { Logger } from "pino";
import { sipTransport, type TrunkConfig, trunkDestination } from "../trunk.ts";

const LOOKUP_INTERVAL_MS = 60_000;

interface TrunkAddressesOptions {
  readonly resolve: (destination: Destination) => Promise<readonly Target[]>;
  readonly log: Logger;
}

/** The current addresses of all trunks. Only they may connect to us, and send requests outside our calls. */
export class TrunkAddresses {
  readonly #options: TrunkAddressesOptions;
  #destinations: readonly Destination[] = [];
  /** By `keyOf`. */
  #addresses: ReadonlyMap<string, readonly string[]> = new Map();
  readonly #timer: NodeJS.Timeout;

  constructor(options: TrunkAddressesOptions) {
    this.#options = options;
    // oxlint-disable-next-line farline/bounded-timers -- ends with `close`
    this.#timer = setInterval(() => void this.#resolveAll(), LOOKUP_INTERVAL_MS).unref();
  }

  use(trunks: readonly TrunkConfig[]): void {
    this.#destinations = trunks.flatMap(destinationsOf);
    const known = this.#destinations.map(
      (each) => [keyOf(each), isIP(each.host) === 0 ? this.#known(each) : [each.host]] as const,
    );
    this.#addresses = new Map(known);
    void this.#resolveAll();
  }

  has(address: string): boolean {
    for (const addresses of this.#addresses.values()) if (addresses.includes(address)) return true;
    return false;
  }

  of(trunk: TrunkConfig): readonly string[] {
    return destinationsOf(trunk).flatMap((each) => this.#known(each));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #resolveAll(): Promise<void> {
    const destinations = this.#destinations;
    const found = await Promise.all(destinations.map(async (each) => [keyOf(each), await this.#lookUp(each)] as const));
    if (destinations === this.#destinations) this.#addresses = new Map(found);
  }

  #known(destination: Destination): readonly string[] {
    return this.#addresses.get(keyOf(destination)) ?? [];
  }

  async #lookUp(destination: Destination): Promise<readonly string[]> {
    try {
      return (await this.#options.resolve(destination)).map(({ address }) => address);
    } catch (error) {
      this.#options.log.warn({ err: error, host: destination.host }, "host of trunk not found");
      return this.#known(destination);
    }
  }
}

function destinationsOf(trunk: TrunkConfig): Destination[] {
  const { transport, redirectHosts = [] } = trunk;
  const others = redirectHosts.map((name) => ({ host: name, port: null, transport: sipTransport(transport) }));
  return [trunkDestination(trunk), ...others];
}

function keyOf({ host, port, transport, service }: Destination): string {
  return `${transport} ${host} ${port ?? ""} ${service ?? ""}`;
}

/** The trunk with the transport that its host's records chose (RFC 3263 §4.1), or as it is without any. */
export function withService(trunk: TrunkConfig, chosen: Service | null): TrunkConfig {
  if (chosen === null || trunk.choosesTransport !== true) return trunk;
  const transport = ({ UDP: "udp", TCP: "tcp", TLS: "tls" } as const)[chosen.transport];
  return { ...trunk, transport, service: chosen.service };
}
