import type { FastifyRequest } from "fastify";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database.ts";
import { AppError } from "../platform/app-error.ts";
import { findSession, touchSession, type Customer } from "./accounts.store.ts";
import { bearerToken, hashToken } from "./session-token.ts";
import { idleSince } from "./start-session.ts";

/** Reads who is asking from the bearer token. @throws AppError unauthenticated */
export type Authenticate = (request: FastifyRequest) => Promise<Customer>;

const TOUCH_EVERY_MS = 60_000;

/** Frozen customers are let in: what they may not do is refused where it is asked for. */
export function createAuthenticate(parts: { db: Database; clock: Clock }): Authenticate {
  const { db, clock } = parts;
  return async (request) => {
    const token = bearerToken(request.headers.authorization);
    if (token === null) throw signInAgain();
    const now = clock.now();
    const found = await findSession(db, { tokenHash: hashToken(token), now, idleSince: idleSince(now) });
    if (found === undefined) throw signInAgain();
    const { sessionId, lastSeenAt, ...customer } = found;
    if (now.getTime() - lastSeenAt.getTime() >= TOUCH_EVERY_MS) await touchSession(db, sessionId, now);
    return customer;
  };
}

function signInAgain(): AppError {
  return new AppError("unauthenticated", "Sign in again.");
}
