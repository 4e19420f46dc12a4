import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

const v4Mapped = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;

/**
 * The client's address. With trusted proxies it is the address that the outermost proxy saw, read from
 * `X-Forwarded-For`; without them anybody can write that header, so it is ignored.
 */
export function clientAddress(request: IncomingMessage, trustedProxies: number): string {
  const direct = request.socket.remoteAddress ?? "";
  const forwarded = [request.headers["x-forwarded-for"] ?? []].flat().join(",").split(",");
  const hops = [direct, ...forwarded.toReversed().map((one) => one.trim())].filter((one) => isIP(one) !== 0);
  return hops[Math.min(trustedProxies, hops.length - 1)] ?? direct;
}

/**
 * The groups that an address is counted in: `host` is one machine or household (an IPv4 address, an IPv6 /64), `network` what one
 * operator can easily get more of (an IPv4 /24, an IPv6 /48).
 */
export function neighbourhood(address: string): { host: string; network: string } {
  const plain = address.replace(v4Mapped, "");
  if (isIP(plain) !== 6) return { host: plain, network: plain.split(".").slice(0, 3).join(".") };
  const [head = "", tail = ""] = plain.split("%", 1)[0]?.split("::") ?? [];
  const [before, after] = [head, tail].map((part) => part.split(":").filter((group) => group !== ""));
  const zeros = Array<string>(Math.max(0, 8 - (before?.length ?? 0) - (after?.length ?? 0))).fill("0");
  const groups = [...(before ?? []), ...zeros, ...(after ?? [])].map((group) => Number.parseInt(group, 16).toString(16));
  return { host: groups.slice(0, 4).join(":"), network: groups.slice(0, 3).join(":") };
}
