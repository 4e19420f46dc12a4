import { CALL_ID_HEADER, REQUEST_ID_HEADER } from "@farline/contract/api/log-headers.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { FOR_NODE, type NodeResponse, type NodeRequest, NodeUnreachable, WRONG_NODE_STATUS } from "../nodes/node-client.ts";
import { announcementsBody } from "../nodes/announcements.ts";
import { ANNOUNCEMENTS_PATH, type Nodes, type Owner } from "../nodes/nodes.ts";
import { notFound, TelnyxError } from "./telnyx-error.ts";

const FORWARDED_HEADERS = ["accept-language", "content-type", CALL_ID_HEADER] as const;

/** @throws TelnyxError 421 if another node meant the request for a third one, because the nodes' configurations differ */
export function rejectMisdirected(request: FastifyRequest, nodeName: string): void {
  const target = request.headers[FOR_NODE];
  if (target !== undefined && target !== nodeName)
    throw new TelnyxError(WRONG_NODE_STATUS, "10007", "Unexpected error", "This exchange node has another name.");
}

/**
 * Returns a hook that forwards a request to the node that owns its subject. A request forwarded by another node is handled here.
 * @throws TelnyxError 404 if there is no such node, 503 if it does not respond or has not announced itself
 */
export function forwardToOwner(nodes: Nodes, ownerOf: (request: FastifyRequest) => Owner) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | void> => {
    if (isForwarded(request)) return;
    const owner = ownerOf(request);
    if (owner === "self") return;
    if (owner === null && nodes.mayHaveOthers)
      throw unavailable("The exchange node of this resource has not announced itself here.");
    if (owner === null) throw notFound("The exchange node of this resource does not exist.");
    const { status, contentType, body } = await orUnavailable(nodes.client.send(owner, copyRequest(request)));
    return reply.code(status).type(contentType).send(body);
  };
}

/**
 * Sends the request to all other nodes too, unless one of them sent it.
 * @throws TelnyxError 503 if one does not respond
 */
export async function sendToOtherNodes(nodes: Nodes, request: FastifyRequest): Promise<NodeResponse[]> {
  return isForwarded(request) ? [] : orUnavailable(nodes.sendToOthers(copyRequest(request)));
}

/** Asks all other nodes, unless one of them sent the request. @returns each node's response; null if it did not respond */
export async function askOtherNodes(nodes: Nodes, request: FastifyRequest): ReturnType<Nodes["askOthers"]> {
  return isForwarded(request) ? [] : nodes.askOthers(copyRequest(request));
}

function isForwarded(request: FastifyRequest): boolean {
  return request.headers[FOR_NODE] !== undefined;
}

/** Rebuilds the request from its parsed route, so that it cannot reach another path. */
function copyRequest(request: FastifyRequest): NodeRequest {
  const params = request.params as Readonly<Record<string, string>>;
  const route = (request.routeOptions.url ?? "/").replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ""),
  );
  const query = new URLSearchParams(request.query as Record<string, string>).toString();
  const path = query === "" ? route : `${route}?${query}`;
  const headers = FORWARDED_HEADERS.flatMap((name) => {
    const value = request.headers[name];
    return typeof value === "string" ? [[name, value] as const] : [];
  });
  const body = request.body === undefined || request.body === null ? {} : { body: JSON.stringify(request.body) };
  return { method: request.method, path, headers: { ...Object.fromEntries(headers), [REQUEST_ID_HEADER]: request.id }, ...body };
}

async function orUnavailable<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof NodeUnreachable)) throw error;
    throw unavailable(error.message);
  }
}

function unavailable(why: string): TelnyxError {
  return new TelnyxError(503, "10016", "Service unavailable", why);
}

/** `POST /v2/nodes`: another exchange announces itself and those that it knows, and learns of ours. */
export function nodeRoutes(app: FastifyInstance, { announcements }: Nodes): void {
  app.post(ANNOUNCEMENTS_PATH, { config: { access: "exchange-key" } }, async (request) => {
    announcements?.take(announcementsBody.parse(request.body).announcements);
    return { announcements: announcements?.all() ?? [] };
  });
}
