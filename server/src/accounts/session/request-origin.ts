import { clientHost } from "@farline/domain/client-network.ts";
import type { FastifyRequest } from "fastify";
import { deviceName, shortNetwork } from "./device-name.ts";

/** The origin of a request as recorded. */
export function requestOrigin(request: FastifyRequest): { device: string; network: string } {
  return { device: deviceName(request.headers["user-agent"]), network: shortNetwork(clientHost(request.ip)) };
}
