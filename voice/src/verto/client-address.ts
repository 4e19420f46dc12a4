import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/**
 * The client's address. With trusted proxies it is what the outermost one saw, from `X-Forwarded-For`. Without them the header is
 * ignored, because anybody can send it.
 */
export function clientAddress(request: IncomingMessage, trustedProxies: number): string {
  const direct = request.socket.remoteAddress ?? "";
  const forwarded = [request.headers["x-forwarded-for"] ?? []].flat().join(",").split(",");
  const hops = [direct, ...forwarded.toReversed().map((one) => one.trim())].filter((one) => isIP(one) !== 0);
  return hops[Math.min(trustedProxies, hops.length - 1)] ?? direct;
}
