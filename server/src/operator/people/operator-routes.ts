import { rightsOf } from "@farline/contract/operator/rights.ts";
import type { OperatorSessionResponse } from "@farline/contract/operator/session.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { operatorSignInLimits, requestOrigin } from "../../accounts/accounts.ts";
import { actingAs, type ServiceContext } from "../../context.ts";
import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { perNetwork, sharedNetworkLimit } from "../../platform/http/network-limit.ts";
import { hashToken } from "../../platform/secret-token.ts";
import {
  acceptWithPasskey,
  acceptWithPassword,
  invitationPasskeyOptions,
  readInvitation,
  startInvitationAuthenticator,
} from "./accept-invitation.ts";
import { confirmCommandLine, readCommandLine } from "./command-line.ts";
import { consoleToken, operatorOf, operatorSessionOf, setConsoleToken } from "./operator-guard.ts";
import { deleteOperatorSession, type OperatorSession } from "./operator-session.store.ts";
import { admitOperator, type SessionPlace } from "./operator-sessions.ts";
import { operatorPasskeyOptions, signInWithOperatorPasskey, signInWithPassword, type SignedIn } from "./sign-in.ts";

const TEN_MINUTES_SECONDS = 10 * 60;

/** `/api/operator/…`: invitations, sign-in and an operator's own session. */
export function operatorRoutes(app: App, ctx: ServiceContext): void {
  const limit = (name: string) =>
    perNetwork(
      sharedNetworkLimit(ctx.handle, { name, points: 30, perSeconds: TEN_MINUTES_SECONDS, scale: ctx.config.limitsScale }),
    );
  invitationRoutes(app, ctx, limit("operator-invitation"));
  signInRoutes(app, ctx, limit("operator-passkey"));

  serve(app, "GET /api/operator/session", async (request) => sessionResponse(operatorSessionOf(request)));

  serve(app, "POST /api/operator/sign-out", async (request, reply) => {
    await endSession(ctx, request);
    setConsoleToken(reply, null);
  });

  serve(app, "POST /api/operator/command-line/device", (request) => readCommandLine(ctx, request.body.code));

  serve(app, "POST /api/operator/command-line", (request) =>
    confirmCommandLine(actingAs(ctx, operatorOf(request)), request.body.code),
  );
}

function invitationRoutes(app: App, ctx: ServiceContext, onRequest: ReturnType<typeof perNetwork>): void {
  serve(app, "POST /api/operator/invitation", {
    onRequest,
    handler: async ({ body }) => {
      const { email, name, role } = (await readInvitation(ctx, body.token)).operator;
      return { email, name, role };
    },
  });

  serve(app, "POST /api/operator/invitation/passkey/options", {
    onRequest,
    handler: async ({ body }) => ({ options: await invitationPasskeyOptions(ctx, body.token) }),
  });

  serve(app, "POST /api/operator/invitation/passkey", {
    onRequest,
    handler: async (request, reply) =>
      openConsole(ctx, { request, reply }, await acceptWithPasskey(ctx, request.body, placeOf(request))),
  });

  serve(app, "POST /api/operator/invitation/authenticator", {
    onRequest,
    handler: ({ body }) => startInvitationAuthenticator(ctx, body.token),
  });

  serve(app, "POST /api/operator/invitation/password", {
    onRequest,
    handler: async (request, reply) =>
      openConsole(ctx, { request, reply }, await acceptWithPassword(ctx, request.body, placeOf(request))),
  });
}

function signInRoutes(app: App, ctx: ServiceContext, onRequest: ReturnType<typeof perNetwork>): void {
  const limited = { ...ctx, signInLimits: operatorSignInLimits(ctx) };
  serve(app, "POST /api/operator/sign-in", async (request, reply) => {
    const from = { ...placeOf(request), address: request.ip };
    return openConsole(ctx, { request, reply }, await signInWithPassword(limited, request.body, from));
  });

  serve(app, "POST /api/operator/sign-in/passkey/options", {
    onRequest,
    handler: async () => ({ options: await operatorPasskeyOptions(ctx) }),
  });

  serve(app, "POST /api/operator/sign-in/passkey", {
    onRequest,
    handler: async (request, reply) =>
      openConsole(ctx, { request, reply }, await signInWithOperatorPasskey(ctx, request.body, placeOf(request))),
  });
}

function placeOf(request: FastifyRequest): SessionPlace {
  return { kind: "console", ...requestOrigin(request) };
}

/** Sets the cookie of a new session. The browser's earlier one ends: a sign-in that only proves again who is there replaces it. */
async function openConsole(
  ctx: ServiceContext,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { token }: SignedIn,
): Promise<OperatorSessionResponse> {
  await endSession(ctx, request);
  setConsoleToken(reply, token);
  return sessionResponse(await admitOperator(ctx, { token, kind: "console", right: "own-access" }));
}

async function endSession(ctx: ServiceContext, request: FastifyRequest): Promise<void> {
  const token = consoleToken(request);
  if (token !== null) await deleteOperatorSession(ctx.handle.db, hashToken(token));
}

function sessionResponse({ operator, expiresAt }: OperatorSession): OperatorSessionResponse {
  return { operator, rights: rightsOf(operator.role), expires_at: expiresAt.toISOString() };
}
