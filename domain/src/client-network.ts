const IPV6_GROUPS = 8;

/** A network that contains an address. Wider ones have more users and cost more to obtain, so their limits are multiples. */
interface RateLimitedNetwork {
  /** The same for every address in the network, in any notation. */
  readonly key: string;
  readonly times: number;
}

/** The multiple of one host's limit that each network may use. Providers assign a /64, a /56 or a /48 to a customer. */
export const NETWORK_MULTIPLES = [1, 4, 16] as const;

/** The networks of an address, narrowest first: an IPv6 /64, /56 and /48, or an IPv4 address and its /24. */
export function networksOf(address: string): readonly RateLimitedNetwork[] {
  const host = clientHost(address);
  const [one, some, many] = NETWORK_MULTIPLES;
  const networks: RateLimitedNetwork[] = [{ key: host, times: one }];
  if (host.includes(":")) networks.push({ key: `${slash56Of(host)}/56`, times: some });
  // The range that one operator can easily obtain.
  const wide = host
    .split(/[:.]/)
    .slice(0, 3)
    .join(host.includes(":") ? ":" : ".");
  return [...networks, { key: `${wide}/${host.includes(":") ? 48 : 24}`, times: many }];
}

/**
 * Counts what clients hold open, such as connections, by network and in all. Wider networks may have multiples of a host's number.
 */
export class ClientCounts {
  readonly #max: { readonly total: number; readonly perHost: number };
  readonly #open = new Map<string, number>();
  #total = 0;

  constructor(max: { readonly total: number; readonly perHost: number }) {
    this.#max = max;
  }

  /** Takes a place for an address. @returns what frees it; null if there is none */
  take(address: string): (() => void) | null {
    const networks = networksOf(address);
    const isFull = ({ key, times }: RateLimitedNetwork) => (this.#open.get(key) ?? 0) >= this.#max.perHost * times;
    if (this.#total >= this.#max.total || networks.some(isFull)) return null;
    this.#total += 1;
    for (const { key } of networks) this.#open.set(key, (this.#open.get(key) ?? 0) + 1);
    return () => {
      this.#total -= 1;
      for (const { key } of networks) {
        const left = (this.#open.get(key) ?? 1) - 1;
        if (left === 0) this.#open.delete(key);
        else this.#open.set(key, left);
      }
    };
  }
}

/** An address without the port that some proxies forward with it: `203.0.113.9:54321`, `[2001:db8::6]:54321`. Each connection has another. */
export function withoutPort(address: string): string {
  const [, ip6, ip4] = /^\[([^\]]*)\](?::\d+)?$|^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address) ?? [];
  return ip6 ?? ip4 ?? address;
}

/** One machine or household: an IPv4 address, including one mapped to IPv6, or an IPv6 /64. */
export function clientHost(address: string): string {
  const plain = withoutPort(address);
  return plain.includes(":") ? hostOf(plain) : plain;
}

/** The /56 of a /64: the fourth group without its last byte. */
function slash56Of(host: string): string {
  const groups = host.split(":");
  const last = Number.parseInt(groups[3] ?? "0", 16) & 0xff_00;
  return [...groups.slice(0, 3), last.toString(16)].join(":");
}

/** The first four groups of an IPv6 address without its zone, each in shortest form; an IPv4-mapped address as IPv4. */
function hostOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = "", tail = ""] = address.split("%", 1)[0]?.split("::") ?? [];
  const [before = [], after = []] = [head, tail].map((side) => side.split(":").filter((group) => group !== ""));
  const zeros = Array<string>(Math.max(0, IPV6_GROUPS - before.length - after.length)).fill("0");
  const groups = [...before, ...zeros, ...after].slice(0, 4);
  return groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":");
}
