import { lookup, Resolver as DnsResolver } from "node:dns/promises";
import { isIP } from "node:net";
import { type Destination, orderSrv, orderTargets, portOf, type ResolvedHost, type SrvRecord, srvName } from "./order-targets.ts";
import type { Target } from "./target.ts";

export interface Dns {
  srv(name: string): Promise<readonly SrvRecord[]>;
  addresses(host: string): Promise<readonly string[]>;
}

export interface ResolverOptions {
  /** The family of our own address. */
  readonly family: 4 | 6;
  readonly dns?: Dns;
  readonly random?: () => number;
}

const LIFETIME_MS = 300_000;
const MAX_NAMES = 1_000;
const MAX_SRV_RECORDS = 16;
const QUERY_WITHIN_MS = 2_000;
const QUERY_TRIES = 2;

/** Finds the addresses of a destination by SRV, A and AAAA records (RFC 3263 §4.2). Answers are kept for five minutes. */
export class Resolver {
  readonly #dns: Dns;
  readonly #random: () => number;
  readonly #known = new Map<string, { readonly hosts: Promise<readonly KnownHost[]>; readonly untilMs: number }>();

  constructor({ family, dns = systemDns(family), random = Math.random }: ResolverOptions) {
    this.#dns = dns;
    this.#random = random;
  }

  /**
   * The targets in the order to try. SRV weights randomise the order each time.
   * @throws Error if there are none
   */
  async resolve(destination: Destination): Promise<Target[]> {
    const { host } = destination;
    if (isIP(host) !== 0) return orderTargets(destination, [{ port: portOf(destination), addresses: [host] }]);
    const hosts = await this.#hostsOf(destination);
    const targets = orderTargets(destination, orderSrv(hosts, this.#random));
    if (targets.length === 0) throw new Error(`No address of ${host} was found.`);
    return targets;
  }

  #hostsOf(destination: Destination): Promise<readonly KnownHost[]> {
    const key = `${destination.transport} ${destination.host} ${destination.port ?? ""}`;
    const known = this.#known.get(key);
    if (known !== undefined && known.untilMs > performance.now()) return known.hosts;
    const hosts = this.#query(destination);
    if (this.#known.size >= MAX_NAMES) this.#known.clear();
    this.#known.set(key, { hosts, untilMs: performance.now() + LIFETIME_MS });
    const forget = (): boolean => this.#known.delete(key);
    hosts.then((found) => found.every(({ addresses }) => addresses.length === 0) && forget(), forget);
    return hosts;
  }

  async #query(destination: Destination): Promise<readonly KnownHost[]> {
    const { host, port } = destination;
    // A resolver that cannot answer SRV queries does not make a host with addresses unreachable.
    const records = port === null ? await this.#dns.srv(srvName(destination)).catch(() => []) : [];
    const plain = { name: host, port: portOf(destination), priority: 0, weight: 0 };
    const wanted = records.length === 0 ? [plain] : records.slice(0, MAX_SRV_RECORDS).filter(({ name }) => name !== "");
    return Promise.all(
      wanted.map(async (record) => ({ ...record, addresses: await this.#dns.addresses(record.name).catch(() => []) })),
    );
  }
}

type KnownHost = SrvRecord & ResolvedHost;

/** The machine's resolver; host names also by its hosts file. */
function systemDns(family: 4 | 6): Dns {
  const resolver = new DnsResolver({ timeout: QUERY_WITHIN_MS, tries: QUERY_TRIES });
  return {
    srv: (name) => resolver.resolveSrv(name),
    addresses: async (host) => (await lookup(host, { all: true, family })).map(({ address }) => address),
  };
}
