import { rightsOf } from "@farline/contract/operator/rights.ts";
import type { OperatorSessionResponse } from "@farline/contract/operator/session.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import {
  browserHashOf,
  type Known,
  operatorSignInLimits,
  renewBrowserCookie,
  requestOrigin,
  takeKnown,
} from "../../accounts/accounts.ts";
import { actingAs, type ServiceContext } from "../../context.ts";
import { serve } from "../../platform/http/endpoint.ts";
import type { App, Guard } from "../../platform/http/http.ts";
import { type NetworkLimit, sharedNetworkLimit } from "../../platform/http/network-limit.ts";
import { hashToken } from "../../platform/sealed-value.ts";
import {
  acceptWithPasskey,
  acceptWithPassword,
  invitationPasskeyOptions,
  readInvitation,
  startInvitationAuthenticator,
} from "./accept-invitation.ts";
import { findInvitation } from "./invitation.store.ts";
import { confirmCommandLine, readCommandLine, requestCommandLine } from "./command-line.ts";
import { commandLineToken, consoleToken, operatorOf, operatorSessionOf, setConsoleToken } from "./operator-guard.ts";
import { deleteOperatorSession, isOperatorBrowser, type OperatorSession } from "./operator-session.store.ts";
import { admitOperator, findLiveSession } from "./operator-sessions.ts";
import {
  type ConsolePlace,
  operatorPasskeyOptions,
  type SignedIn,
  signInWithOperatorPasskey,
  signInWithPassword,
} from "./sign-in.ts";

/** `/api/operator/…`: invitations, sign-in and an operator's own session. */
export function operatorRoutes(app: App, ctx: ServiceContext): void {
  invitationRoutes(app, ctx, sharedNetworkLimit(ctx, "operator-invitation"));
  signInRoutes(app, ctx, sharedNetworkLimit(ctx, "operator-passkey"));
  commandLineRoutes(app, ctx, sharedNetworkLimit(ctx, "operator-command-line"));

  serve(app, "GET /api/operator/session", async (request) => sessionResponse(operatorSessionOf(request)));

  serve(app, "POST /api/operator/sign-out", async (request, reply) => {
    await endSession(ctx, request);
    setConsoleToken(reply, null);
  });
}

function commandLineRoutes(app: App, ctx: ServiceContext, limit: NetworkLimit): void {
  serve(app, "POST /api/operator/command-line/request", {
    onRequest: (request) => limit.take(request.ip),
    handler: async (request) => {
      const { expiresAt, ...asked } = await requestCommandLine(ctx, `${request.body.device}, ${requestOrigin(request).network}`);
      return { ...asked, expires_at: expiresAt.toISOString() };
    },
  });

  serve(app, "POST /api/operator/command-line/device", (request) => readCommandLine(ctx, request.body.code));

  serve(app, "POST /api/operator/command-line", (request) =>
    confirmCommandLine(actingAs(ctx, operatorOf(request)), request.body.code),
  );
}

function invitationRoutes(app: App, ctx: ServiceContext, limit: NetworkLimit): void {
  const preHandler: Guard = (request) => takeKnown(limit, request, openInvitationOf(ctx));
  serve(app, "POST /api/operator/invitation", {
    preHandler,
    handler: async ({ body }) => {
      const { email, name, role } = (await readInvitation(ctx, body.token)).operator;
      return { email, name, role };
    },
  });

  serve(app, "POST /api/operator/invitation/passkey/options", {
    preHandler,
    handler: async ({ body }) => ({ options: await invitationPasskeyOptions(ctx, body.token) }),
  });

  serve(app, "POST /api/operator/invitation/passkey", {
    preHandler,
    handler: async (request, reply) =>
      openConsole(ctx, { request, reply }, await acceptWithPasskey(ctx, request.body, placeOf(request, reply))),
  });

  serve(app, "POST /api/operator/invitation/authenticator", {
    preHandler,
    handler: ({ body }) => startInvitationAuthenticator(ctx, body.token),
  });

  serve(app, "POST /api/operator/invitation/password", {
    preHandler,
    handler: async (request, reply) =>
      openConsole(ctx, { request, reply }, await acceptWithPassword(ctx, request.body, placeOf(request, reply))),
  });
}

/** An open invitation, by its token. */
function openInvitationOf({ handle, clock }: ServiceContext): Known {
  return async (request) => {
    const tokenHash = hashToken((request.body as { token: string }).token);
    const found = await findInvitation(handle.db, tokenHash, clock.now());
    return found === undefined ? null : `invitation ${tokenHash.toString("base64url")}`;
  };
}

/** The live session of an operator, or a browser with which one has signed in. */
function operatorDoor(ctx: ServiceContext): Known {
  return async (request) => {
    const session = await findLiveSession(ctx, { token: consoleToken(request), kind: "console" });
    if (session !== undefined) return `session ${session.sessionId}`;
    const browserHash = browserHashOf(request);
    const known = browserHash !== null && (await isOperatorBrowser(ctx.handle.db, { browserHash }));
    return known ? `browser ${browserHash.toString("base64url")}` : null;
  };
}

function signInRoutes(app: App, ctx: ServiceContext, limit: NetworkLimit): void {
  const onRequest: Guard = (request) => takeKnown(limit, request, operatorDoor(ctx));
  const limited = { ...ctx, signInLimits: operatorSignInLimits(ctx, isOperatorBrowser) };
  serve(app, "POST /api/operator/sign-in", async (request, reply) => {
    const from = { ...placeOf(request, reply), address: request.ip, token: consoleToken(request) };
    return openConsole(ctx, { request, reply }, await signInWithPassword(limited, request.body, from));
  });

  serve(app, "POST /api/operator/sign-in/passkey/options", {
    onRequest,
    handler: async () => ({ options: await operatorPasskeyOptions(ctx) }),
  });

  serve(app, "POST /api/operator/sign-in/passkey", {
    onRequest,
    handler: async (request, reply) =>
      openConsole(ctx, { request, reply }, await signInWithOperatorPasskey(ctx, request.body, placeOf(request, reply))),
  });
}

/** Sets or renews the browser's cookie, by which it is known from its first sign-in on. */
function placeOf(request: FastifyRequest, reply: FastifyReply): ConsolePlace {
  return { kind: "console", ...requestOrigin(request), browserHash: renewBrowserCookie(request, reply) };
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
  const token = commandLineToken(request) ?? consoleToken(request);
  if (token !== null) await deleteOperatorSession(ctx.handle.db, hashToken(token));
}

function sessionResponse({ operator, expiresAt }: OperatorSession): OperatorSessionResponse {
  return { operator, rights: rightsOf(operator.role), expires_at: expiresAt.toISOString() };
}
