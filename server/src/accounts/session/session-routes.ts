import { isUuid } from "@farline/domain/uuid.ts";
import type { FastifyRequest } from "fastify";
import { AppError } from "../../platform/app-error.ts";
import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { sessionOf } from "./session-guards.ts";
import { browserHashOf } from "./browser.ts";
import { signOutEverywhere } from "./end-access.ts";
import { requestOrigin } from "./device-name.ts";
import { insertSecurityEvent } from "../record/security-event.store.ts";
import { endSession, listSessions } from "./session.store.ts";
import { idleSince } from "./start-session.ts";
import type { AccountContext } from "../account-context.ts";

const CLEAR_CACHE = '"cache"';

/** `/api/logout` and `/api/sessions`: signed-in devices. */
export function sessionRoutes(app: App, ctx: AccountContext): void {
  const { db } = ctx.handle;

  serve(app, "POST /api/logout", async (request, reply) => {
    const session = sessionOf(request);
    const end = { by: "signed_out_here", at: ctx.clock.now() } as const;
    await endSession(db, { id: session.sessionId, customerId: session.id }, end);
    void reply.header("clear-site-data", CLEAR_CACHE);
  });

  serve(app, "GET /api/sessions", async (request) => {
    const { id: customerId, sessionId } = sessionOf(request);
    const now = ctx.clock.now();
    const rows = await listSessions(db, { customerId, now, idleSince: idleSince(now) });
    const inCall = await ctx.findSessionsInCall(db, customerId);
    const sessions = rows.map((row) => ({
      id: row.id,
      device: row.device,
      network: row.network,
      current: row.id === sessionId,
      signed_in_at: row.createdAt.toISOString(),
      last_seen_at: row.lastSeenAt.toISOString(),
      in_call: inCall.has(row.id),
    }));
    return { sessions: sessions.toSorted((a, b) => Number(b.current) - Number(a.current)) };
  });

  serve(app, "DELETE /api/sessions/:id", async (request) => {
    const session = sessionOf(request);
    const { id } = request.params;
    const ended = isUuid(id) && (await signOutDevice(ctx, request, { id, customerId: session.id }));
    if (!ended) throw new AppError("not_found", { reason: "device_signed_out" });
  });

  serve(app, "DELETE /api/sessions", async (request, reply) => {
    const session = sessionOf(request);
    const keepCurrent = request.query.keep_current === "true";
    const exceptSession = keepCurrent ? session.sessionId : null;
    const customerId = session.id;
    await ctx.transaction(async (tx) => {
      const from = requestOrigin(request);
      await signOutEverywhere(tx, {
        customerId,
        exceptSession,
        exceptBrowser: browserHashOf(request),
        from,
        at: ctx.clock.now(),
      });
    });
    request.log.info({ customer: session.id, keepCurrent }, "signed out everywhere");
    if (!keepCurrent) reply.header("clear-site-data", CLEAR_CACHE);
  });
}

/** Returns false if the device was already signed out. */
function signOutDevice(
  ctx: AccountContext,
  request: FastifyRequest,
  session: { id: string; customerId: string },
): Promise<boolean> {
  return ctx.transaction(async (tx) => {
    const detail = await endSession(tx, session, { by: "signed_out_elsewhere", at: ctx.clock.now() });
    if (detail === null) return false;
    const { customerId } = session;
    await insertSecurityEvent(tx, {
      customerId,
      kind: "device_signed_out",
      detail,
      from: requestOrigin(request),
      at: ctx.clock.now(),
    });
    return true;
  });
}
