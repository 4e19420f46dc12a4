import { timingSafeEqual } from "node:crypto";
import type { SessionEnd } from "@farline/contract/errors.ts";
import type { FastifyRequest } from "fastify";
import { AppError } from "../../platform/app-error.ts";
import { browserHashOf } from "./browser.ts";
import { requestOrigin } from "./device-name.ts";
import type { RequestOrigin } from "../record/request-origin.ts";
import { insertSecurityEvent } from "../record/security-event.store.ts";
import { sendNotice } from "../record/send-notice.ts";
import { endSession, findSession, findSessionEnd, type SessionWithCustomer, touchSession } from "./session.store.ts";
import { hashToken } from "../../platform/sealed-value.ts";
import { idleSince } from "./start-session.ts";
import type { Authenticate, Context } from "../../context.ts";

const TOUCH_EVERY_MS = 60_000;

const TOKEN = /^fl_[A-Za-z0-9_-]{43}$/;

/** Accepts frozen customers: each forbidden action refuses them itself. */
export function createAuthenticate(ctx: Context): Authenticate {
  return (request) => readSession(ctx, request);
}

/**
 * Reads the request's session. Ends a bound session that is used in another browser.
 * @throws AppError unauthenticated
 */
async function readSession(ctx: Context, request: FastifyRequest): Promise<SessionWithCustomer> {
  const { db } = ctx.handle;
  const token = bearerToken(request.headers.authorization);
  if (token === null) throw signInAgain();
  const now = ctx.clock.now();
  const tokenHash = hashToken(token);
  const session = await findSession(db, { tokenHash, now, idleSince: idleSince(now) });
  if (session === undefined) throw signInAgain(await findSessionEnd(db, tokenHash));
  if (session.browserHash !== null && !isFrom(session.browserHash, request)) {
    await stopSession(ctx, session, { from: requestOrigin(request), now });
    request.log.warn({ customer: session.id, session: session.sessionId }, "session stopped: used outside its browser");
    throw signInAgain("other_browser");
  }
  if (now.getTime() - session.lastSeenAt.getTime() >= TOUCH_EVERY_MS) await touchSession(db, session.sessionId, now);
  return session;
}

function isFrom(browserHash: Buffer, request: FastifyRequest): boolean {
  const asking = browserHashOf(request);
  return asking !== null && timingSafeEqual(asking, browserHash);
}

/** Either the token was stolen or the owner cleared the cookies: end the session and notify the owner. */
async function stopSession(
  ctx: Context,
  session: SessionWithCustomer,
  { from, now }: { from: RequestOrigin; now: Date },
): Promise<void> {
  await ctx.transaction(async (tx) => {
    if ((await endSession(tx, { id: session.sessionId, customerId: session.id }, { by: "other_browser", at: now })) === null)
      return;
    await insertSecurityEvent(tx, { customerId: session.id, kind: "session_stopped", from, at: now });
    await sendNotice(tx, session, { event: "session_stopped", at: now, device: null });
  });
}

function signInAgain(sessionEnded?: SessionEnd): AppError {
  return new AppError("unauthenticated", { sessionEnded });
}

/** The token of an `Authorization: Bearer` header, or null if it has none of ours. */
function bearerToken(header: string | undefined): string | null {
  const token = /^bearer ([^\s]+)$/i.exec(header ?? "")?.[1];
  return token !== undefined && TOKEN.test(token) ? token : null;
}
