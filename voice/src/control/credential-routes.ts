import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Nodes } from "../nodes/nodes.ts";
import type { Credential, Credentials } from "./credentials.ts";
import { sendToOtherNodes } from "./forward-command.ts";
import { invalid, notFound, type TelnyxError } from "./telnyx-error.ts";

const createBody = z.object({
  connection_id: z.string().max(64),
  name: z.string().max(255).optional(),
  tag: z.string().max(255).optional(),
  expires_at: z.iso.datetime({ offset: true, local: true }).optional(),
});

/** Like the provider, treats a time without a zone as UTC. */
function readInstant(text: string): Date {
  return new Date(/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
}

function record(credential: Credential, connectionId: string): Record<string, unknown> {
  return {
    record_type: "credential",
    id: credential.id,
    resource_id: `connection:${connectionId}`,
    sip_username: credential.username,
    expires_at: credential.expiresAt?.toISOString() ?? null,
    expired: credential.expiresAt !== null && credential.expiresAt.getTime() <= Date.now(),
  };
}

interface CredentialRouteDeps {
  readonly nodes: Nodes;
  readonly credentials: Credentials;
  readonly connectionId: string;
  readonly onRemoved: (credentialId: string) => void;
}

function noCredential(): TelnyxError {
  return notFound("There is no telephony credential with this id.");
}

/** `/v2/telephony_credentials`: credentials for browsers, which sign in by token only. */
export function credentialRoutes(app: FastifyInstance, deps: CredentialRouteDeps): void {
  const { credentials, connectionId } = deps;
  const config = { access: "exchange-key" } as const;

  function find(id: string): Credential {
    const credential = credentials.find(id);
    if (credential === null) throw noCredential();
    return credential;
  }

  app.post("/v2/telephony_credentials", { config }, async (request, reply) => {
    const body = createBody.parse(request.body ?? {});
    if (body.connection_id !== connectionId) throw invalid("connection_id is not a connection of this exchange.");
    const expiresAt = body.expires_at === undefined ? null : readInstant(body.expires_at);
    if (expiresAt !== null && expiresAt.getTime() <= Date.now()) throw invalid("expires_at is in the past.");
    // Ids carry the expiry as 32-bit seconds.
    if (expiresAt !== null && expiresAt.getTime() > 0xffff_ffff * 1000) throw invalid("expires_at is too far away.");
    const credential = credentials.create(expiresAt, { tag: body.tag ?? null, name: body.name ?? null });
    const now = new Date().toISOString();
    const data = {
      ...record(credential, connectionId),
      name: body.name ?? "",
      tag: body.tag ?? null,
      created_at: now,
      updated_at: now,
    };
    return reply.code(201).send({ data });
  });

  app.get<{ Params: { id: string } }>("/v2/telephony_credentials/:id", { config }, async (request) => ({
    data: record(find(request.params.id), connectionId),
  }));

  app.delete<{ Params: { id: string } }>("/v2/telephony_credentials/:id", { config }, async (request, reply) => {
    const { id } = request.params;
    const removed = credentials.find(id);
    if (removed !== null) {
      credentials.remove(id);
      deps.onRemoved(id);
    }
    // Even if it is unknown here, because an earlier request may not have reached all nodes.
    const others = await sendToOtherNodes(deps.nodes, request);
    if (removed !== null) return { data: record(removed, connectionId) };
    const answer = others.find(({ status }) => status === 200);
    if (answer === undefined) throw noCredential();
    return reply.type(answer.contentType).send(answer.body);
  });

  app.post<{ Params: { id: string } }>("/v2/telephony_credentials/:id/token", { config }, async (request, reply) => {
    const token = await credentials.issueToken(find(request.params.id));
    if (token === null) throw invalid("The telephony credential has expired.");
    return reply.code(201).type("text/plain").send(token);
  });
}
