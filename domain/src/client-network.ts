const IPV6_GROUPS = 8;

/** One machine or household: an IPv4 address, also when it is written as IPv6, or an IPv6 /64. */
export function clientHost(address: string): string {
  return address.includes(":") ? groupsOf(address, 4) : address;
}

/** What one operator can easily get more of: an IPv4 /24, an IPv6 /48. */
export function clientNetwork(address: string): string {
  const host = clientHost(address);
  return host.includes(":") ? groupsOf(address, 3) : host.split(".").slice(0, 3).join(".");
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
