const IPV6_GROUPS = 8;

/**
 * A network that an address lies in. Wider ones cost more to get, and hold more people: each has a multiple of the limit of one
 * host.
 */
export interface CountedNetwork {
  /** The same for every address in it, however it is written. */
  readonly key: string;
  readonly times: number;
}

/** How often the limit of one host each network may use: providers give a customer a /64, a /56 or a /48. */
export const NETWORK_TIMES = [1, 4, 16] as const;

/** The networks that a limit counts, narrowest first: an IPv6 /64, /56 and /48, or an IPv4 address and its /24. */
export function countedNetworks(address: string): readonly CountedNetwork[] {
  const host = clientHost(address);
  const [one, some, many] = NETWORK_TIMES;
  const networks: CountedNetwork[] = [{ key: host, times: one }];
  if (host.includes(":")) networks.push({ key: `${largeHomeOf(host)}/56`, times: some });
  return [...networks, { key: `${clientNetwork(address)}/${host.includes(":") ? 48 : 24}`, times: many }];
}

/** One machine or household: an IPv4 address, also when it is written as IPv6, or an IPv6 /64. */
export function clientHost(address: string): string {
  return address.includes(":") ? groupsOf(address, 4) : address;
}

/** What one operator can easily get more of: an IPv4 /24, an IPv6 /48. */
function clientNetwork(address: string): string {
  const host = clientHost(address);
  return host.includes(":") ? groupsOf(address, 3) : host.split(".").slice(0, 3).join(".");
}

/** The /56 of a /64: the fourth group without its last byte. */
function largeHomeOf(host: string): string {
  const groups = host.split(":");
  const last = Number.parseInt(groups[3] ?? "0", 16) & 0xff_00;
  return [...groups.slice(0, 3), last.toString(16)].join(":");
}

/** The first groups of an IPv6 address in its shortest spelling, without its zone. */
function groupsOf(address: string, count: number): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = "", tail = ""] = address.split("%", 1)[0]?.split("::") ?? [];
  const [before = [], after = []] = [head, tail].map((side) => side.split(":").filter((group) => group !== ""));
  const zeros = Array<string>(Math.max(0, IPV6_GROUPS - before.length - after.length)).fill("0");
  const groups = [...before, ...zeros, ...after].slice(0, count);
  return groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":");
}
