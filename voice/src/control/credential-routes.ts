import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Credential, Credentials } from "./credentials.ts";
import { invalid, notFound } from "./telnyx-error.ts";

const createBody = z.object({
  connection_id: z.string().max(64),
  name: z.string().max(255).optional(),
  tag: z.string().max(255).optional(),
  expires_at: z.iso.datetime({ offset: true, local: true }).optional(),
});

/** The provider reads a time without a zone as UTC. */
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

export interface CredentialRouteDeps {
  readonly credentials: Credentials;
  readonly connectionId: string;
  /** A credential was deleted: its browsers are to be signed out. */
  readonly onRemoved: (credentialId: string) => void;
}

/** `/v2/telephony_credentials`: who may sign in from a browser. No password is ever made; tokens are the only way in. */
export function credentialRoutes(app: FastifyInstance, deps: CredentialRouteDeps): void {
  const { credentials, connectionId } = deps;
  const config = { access: "exchange-key" } as const;

  function find(id: string): Credential {
    const credential = credentials.find(id);
    if (credential === null) throw notFound("There is no telephony credential with this id.");
    return credential;
  }

  app.post("/v2/telephony_credentials", { config }, async (request, reply) => {
    const body = createBody.parse(request.body ?? {});
    if (body.connection_id !== connectionId) throw invalid("connection_id is not a connection of this exchange.");
    const expiresAt = body.expires_at === undefined ? null : readInstant(body.expires_at);
    if (expiresAt !== null && expiresAt.getTime() <= Date.now()) throw invalid("expires_at is in the past.");
    // Ids carry the expiry as 32-bit seconds.
    if (expiresAt !== null && expiresAt.getTime() > 0xffff_ffff * 1000) throw invalid("expires_at is too far away.");
    const credential = credentials.create(expiresAt);
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

  app.delete<{ Params: { id: string } }>("/v2/telephony_credentials/:id", { config }, async (request) => {
    const credential = find(request.params.id);
    credentials.remove(credential.id);
    deps.onRemoved(credential.id);
    return { data: record(credential, connectionId) };
  });

  app.post<{ Params: { id: string } }>("/v2/telephony_credentials/:id/token", { config }, async (request, reply) => {
    const token = await credentials.issueToken(find(request.params.id));
    if (token === null) throw invalid("The telephony credential has expired.");
    return reply.code(201).type("text/plain").send(token);
  });
}
