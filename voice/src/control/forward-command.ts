import type { FastifyReply, FastifyRequest } from "fastify";
import { FOR_NODE, type NodeAnswer, type NodeRequest, NodeUnreachable, WRONG_NODE_STATUS } from "../nodes/node-client.ts";
import type { Nodes, Owner } from "../nodes/nodes.ts";
import { notFound, TelnyxError } from "./telnyx-error.ts";

const PASSED_HEADERS = ["accept-language", "content-type"] as const;

/** @throws TelnyxError 421 for a request of another node that is meant for a third one: one of the lists of nodes is wrong */
export function rejectMisdirected(request: FastifyRequest, own: string): void {
  const meant = request.headers[FOR_NODE];
  if (meant !== undefined && meant !== own)
    throw new TelnyxError(WRONG_NODE_STATUS, "10007", "Unexpected error", "This exchange node has another name.");
}

/**
 * A hook that lets the owner answer, as it is asked and as it answers. A request that another node has forwarded is answered here, whoever
 * the owner is. @throws TelnyxError 404 where nobody is the owner any more, 503 if the owner does not answer
 */
export function forwardToOwner(nodes: Nodes, ownerOf: (request: FastifyRequest) => Owner) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | void> => {
    if (isForwarded(request)) return;
    const owner = ownerOf(request);
    if (owner === "own") return;
    if (owner === null) throw notFound("There is no exchange node that has this.");
    const { status, contentType, body } = await orUnknown(nodes.client.ask(owner, sameRequest(request)));
    return reply.code(status).type(contentType).send(body);
  };
}

/**
 * Asks all other nodes the same, unless one of them asks us.
 * @throws TelnyxError 503 if one does not answer: what it would have said is unknown
 */
export async function askOtherNodes(nodes: Nodes, request: FastifyRequest): Promise<NodeAnswer[]> {
  return isForwarded(request) ? [] : orUnknown(nodes.askOthers(sameRequest(request)));
}

function isForwarded(request: FastifyRequest): boolean {
  return request.headers[FOR_NODE] !== undefined;
}

/** The request as its route has read it: the path is made of the route's pattern, so that it leads nowhere else. */
function sameRequest(request: FastifyRequest): NodeRequest {
  const params = request.params as Readonly<Record<string, string>>;
  const path = (request.routeOptions.url ?? "/").replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ""),
  );
  const headers = PASSED_HEADERS.flatMap((name) => {
    const value = request.headers[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const body = request.body === undefined || request.body === null ? {} : { body: JSON.stringify(request.body) };
  return { method: request.method, path, headers: Object.fromEntries(headers), ...body };
}

async function orUnknown<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof NodeUnreachable)) throw error;
    throw new TelnyxError(503, "10016", "Service unavailable", error.message);
  }
}
