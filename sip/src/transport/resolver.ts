import { lookup, Resolver as DnsResolver } from "node:dns/promises";
import { isIP } from "node:net";
import {
  type Destination,
  type NaptrRecord,
  orderSrv,
  orderTargets,
  portOf,
  type ResolvedHost,
  type Service,
  servicesOf,
  type SrvRecord,
  srvName,
} from "./order-targets.ts";
import type { Target } from "./target.ts";

export interface Dns {
  srv(name: string): Promise<readonly SrvRecord[]>;
  addresses(host: string): Promise<readonly string[]>;
  /** Absent: no host has any. */
  naptr?(host: string): Promise<readonly NaptrRecord[]>;
  /** How long the addresses of a host hold; null if its zone does not say. Absent: unknown for all. */
  ttlSeconds?(host: string): Promise<number | null>;
}

interface ResolverOptions {
  /** The family of our own address. */
  readonly family: 4 | 6;
  readonly dns?: Dns;
  readonly random?: () => number;
}

/** Answers are kept as long as their zone says, within these bounds. */
const MIN_LIFETIME_MS = 5_000;
const MAX_LIFETIME_MS = 300_000;
/** How long addresses are used that can no longer be looked up (RFC 8767 §4). */
const MAX_STALE_MS = 86_400_000;
/** How long a call waits for a new look-up if there are old addresses, and when it is tried again after a failure. */
const PATIENCE_MS = 500;
const RETRY_MS = 10_000;
const MAX_NAMES = 1_000;
const MAX_SRV_RECORDS = 16;
const QUERY_WITHIN_MS = 2_000;
const QUERY_TRIES = 2;

interface Answer<Value> {
  readonly value: Value;
  readonly lifetimeMs: number;
  /** `doubtful`: not every question was answered, so an older answer is better. `none`: only an older one is of use. */
  readonly quality: "sure" | "doubtful" | "none";
}

interface Known<Value> {
  readonly value: Value;
  readonly foundAtMs: number;
  untilMs: number;
}

/** Finds the addresses of a destination by NAPTR, SRV, A and AAAA records (RFC 3263 §4). While DNS is away the last ones serve (RFC 8767). */
export class Resolver {
  readonly #dns: Dns;
  readonly #random: () => number;
  readonly #hosts = new AnswerCache<readonly KnownHost[]>();
  readonly #services = new AnswerCache<Service | null>();

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
    const key = `${destination.transport} ${host} ${destination.port ?? ""} ${destination.service ?? ""}`;
    const hosts = await this.#hosts.of(key, () => this.#findHosts(destination));
    const targets = orderTargets(destination, orderSrv(hosts, this.#random));
    if (targets.length === 0) throw new Error(`No address of ${host} was found.`);
    return targets;
  }

  /** The first transport that a host offers and has SRV records for (RFC 3263 §4.1). Null if it says nothing. */
  chooseService(host: string): Promise<Service | null> {
    return this.#services.of(host, () => this.#findService(host));
  }

  async #findService(host: string): Promise<Answer<Service | null>> {
    const naptr = (await this.#dns.naptr?.(host).catch(missingRecords<NaptrRecord>)) ?? null;
    const services = servicesOf(host, naptr ?? []);
    const asked = await Promise.all(services.map(({ service }) => this.#dns.srv(service).catch(missingRecords<SrvRecord>)));
    const value = services.find((_, index) => asked[index]?.some(({ name }) => name !== "")) ?? null;
    const isSure = (naptr !== null || this.#dns.naptr === undefined) && !asked.includes(null);
    return { value, lifetimeMs: isSure ? MAX_LIFETIME_MS : RETRY_MS, quality: isSure ? "sure" : "doubtful" };
  }

  async #findHosts(destination: Destination): Promise<Answer<readonly KnownHost[]>> {
    const { host, port } = destination;
    // A resolver that cannot answer SRV queries does not make a host with addresses unreachable.
    const asked = port === null ? await this.#dns.srv(srvName(destination)).catch(missingRecords<SrvRecord>) : [];
    const records = asked ?? [];
    const plain = { name: host, port: portOf(destination), priority: 0, weight: 0 };
    const wanted = records.length === 0 ? [plain] : records.slice(0, MAX_SRV_RECORDS).filter(({ name }) => name !== "");
    const found = await Promise.all(
      wanted.map(async (record) => {
        const ttl = this.#dns.ttlSeconds?.(record.name).catch(() => null);
        const addresses = await this.#dns.addresses(record.name).catch(missingRecords<string>);
        const host = { ...record, addresses: addresses ?? [] };
        return { host, isKnown: addresses !== null, ttlMs: ((await ttl) ?? Infinity) * 1_000 };
      }),
    );
    const leastMs = Math.min(MAX_LIFETIME_MS, ...found.map(({ ttlMs }) => ttlMs));
    const value = found.map((each) => each.host);
    const isEmpty = value.every(({ addresses }) => addresses.length === 0);
    const isSure = asked !== null && found.every(({ isKnown }) => isKnown);
    const quality = isEmpty ? "none" : isSure ? "sure" : "doubtful";
    return { value, lifetimeMs: isSure ? Math.max(MIN_LIFETIME_MS, leastMs) : RETRY_MS, quality };
  }
}

/** Answers of DNS by name, each asked for once while it holds. */
class AnswerCache<Value> {
  readonly #known = new Map<string, Known<Value>>();
  readonly #running = new Map<string, Promise<Value>>();

  async of(key: string, ask: () => Promise<Answer<Value>>): Promise<Value> {
    const known = this.#known.get(key);
    if (known !== undefined && known.untilMs > performance.now()) return known.value;
    const running = this.#running.get(key) ?? this.#lookUp(key, ask).finally(() => this.#running.delete(key));
    this.#running.set(key, running);
    return known === undefined ? running : Promise.race([running, later(PATIENCE_MS, known.value)]);
  }

  async #lookUp(key: string, ask: () => Promise<Answer<Value>>): Promise<Value> {
    const { value, lifetimeMs, quality } = await ask();
    const now = performance.now();
    const before = this.#known.get(key);
    if (before !== undefined && quality !== "sure" && now - before.foundAtMs < MAX_STALE_MS) {
      before.untilMs = now + RETRY_MS;
      return before.value;
    }
    this.#known.delete(key);
    if (this.#known.size >= MAX_NAMES) this.#known.clear();
    if (quality !== "none") this.#known.set(key, { value, foundAtMs: now, untilMs: now + lifetimeMs });
    return value;
  }
}

type KnownHost = SrvRecord & ResolvedHost;

/** No records, or null if nobody could say. */
function missingRecords<Found>(error: unknown): readonly Found[] | null {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return code === "ENOTFOUND" || code === "ENODATA" ? [] : null;
}

function later<Value>(ms: number, value: Value): Promise<Value> {
  return new Promise((resolve) => setTimeout(resolve, ms, value).unref());
}

/** The machine's resolver; host names also by its hosts file, which says no lifetime. */
function systemDns(family: 4 | 6): Dns {
  const resolver = new DnsResolver({ timeout: QUERY_WITHIN_MS, tries: QUERY_TRIES });
  return {
    srv: (name) => resolver.resolveSrv(name),
    naptr: (host) => resolver.resolveNaptr(host),
    addresses: async (host) => (await lookup(host, { all: true, family })).map(({ address }) => address),
    ttlSeconds: async (host) => {
      const records = family === 6 ? await resolver.resolve6(host, { ttl: true }) : await resolver.resolve4(host, { ttl: true });
      return records.length === 0 ? null : Math.min(...records.map(({ ttl }) => ttl));
    },
  };
}
