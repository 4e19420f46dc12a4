import { withoutPort } from "@farline/domain/client-network.ts";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/**
 * The client's address. With trusted proxies it is what the outermost one saw, from `X-Forwarded-For`. Without them the header is
 * ignored, because anybody can send it.
 */
export function clientAddress(request: IncomingMessage, trustedProxies: number): string {
  const direct = request.socket.remoteAddress ?? "";
  const forwarded = [request.headers["x-forwarded-for"] ?? []].flat().join(",").split(",");
  const hops = [direct, ...forwarded.toReversed().map((one) => withoutPort(one.trim()))];
  // What is beyond an entry that is no address may be the client's own words.
  const unknown = hops.findIndex((one) => isIP(one) === 0);
  const known = unknown < 0 ? hops : hops.slice(0, unknown);
  return known[Math.min(trustedProxies, known.length - 1)] ?? direct;
}
