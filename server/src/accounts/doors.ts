import type { FastifyRequest } from "fastify";
import type { Context } from "../context.ts";
import { askerOf, type Asker, type LinkUse } from "../mail/mail.ts";
import { AppError } from "../platform/app-error.ts";
import type { Guard } from "../platform/http/http.ts";
import type { NetworkLimit } from "../platform/http/network-limit.ts";
import { readLinkToken, type SecretKeys } from "../platform/settings/secret-keys.ts";
import { findByEmail } from "./record/customer.store.ts";
import { isBrowserOfAnybody, isKnownBrowser } from "./record/known-browser.store.ts";
import { browserHashOf } from "./session/browser.ts";
import { sessionIfAny } from "./session/session-guards.ts";

/** By what somebody is known besides their network; null if by nothing. */
export type Known = (request: FastifyRequest) => Promise<string | null>;

/**
 * Counts a request by its network, or if strangers have used that up, by what its sender is known by. Looks that up only then, so that it
 * costs nothing otherwise.
 * @throws AppError rate_limited
 */
export async function takeKnown(limit: NetworkLimit, request: FastifyRequest, known: Known): Promise<void> {
  try {
    await limit.take(request.ip);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "rate_limited") throw error;
    const key = await known(request);
    if (key === null) throw error;
    await limit.takeAlone(key);
  }
}

/** The live session, or a browser with which somebody has signed in. */
export function knownDoor({ handle }: Pick<Context, "handle">): Known {
  return async (request) => {
    const session = sessionIfAny(request);
    if (session !== undefined) return `session ${session.sessionId}`;
    const browserHash = browserHashOf(request);
    // Without the database nobody is known, and prices are still looked up.
    const known = browserHash !== null && (await isBrowserOfAnybody(handle.db, browserHash).catch(() => false));
    return known ? `browser ${browserHash.toString("base64url")}` : null;
  };
}

/** Who asks for a mail to an address, on a public page: its owner only in a browser with which they have signed in. */
export async function askerFor({ handle }: Pick<Context, "handle">, request: FastifyRequest, email: string): Promise<Asker> {
  const browserHash = browserHashOf(request);
  if (browserHash === null || !(await isKnownBrowser(handle.db, { email, browserHash }))) return { by: "stranger" };
  const customer = await findByEmail(handle.db, email);
  return customer === undefined ? { by: "stranger" } : askerOf(customer);
}

/** For a route's `onRequest`: the lane `door` of `LIMITS`. */
export function perDoor(ctx: Pick<Context, "handle">, limit: NetworkLimit): Guard {
  const known = knownDoor(ctx);
  return (request) => takeKnown(limit, request, known);
}

/** For the `preHandler` of a route whose JSON body, or else query, has the token of a mailed link: the lane `link` of `LIMITS`. */
export function perLink(keys: SecretKeys, limit: NetworkLimit, uses: readonly LinkUse[]): Guard {
  const known: Known = async (request) => {
    const { token } = (Buffer.isBuffer(request.body) ? request.query : request.body) as { token: string };
    const id = uses.map((use) => readLinkToken(keys, use, token)).find((found) => found !== null);
    return id === undefined || id === null ? null : `link ${id}`;
  };
  return (request) => takeKnown(limit, request, known);
}
