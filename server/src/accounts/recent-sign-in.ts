import type { FastifyRequest } from "fastify";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database.ts";
import { readSession } from "./authenticate.ts";
import { requireRecentSignIn } from "./prove-owner.ts";

/** Makes sure that who asks has signed in a short while ago. @throws AppError unauthenticated, reauth_required */
export type RecentSignIn = (request: FastifyRequest) => Promise<void>;

export function createRecentSignIn(parts: { db: Database; clock: Clock }): RecentSignIn {
  return async (request) => requireRecentSignIn(parts, await readSession(parts, request));
}
