import type { FastifyRequest } from "fastify";
import { networkOf } from "../../platform/http/rate-limit.ts";
import { deviceName, shortNetwork } from "./device-name.ts";

/** Where a request comes from, as far as it is written down. */
export function requestOrigin(request: FastifyRequest): { device: string; network: string } {
  return { device: deviceName(request.headers["user-agent"]), network: shortNetwork(networkOf(request.ip)) };
}
