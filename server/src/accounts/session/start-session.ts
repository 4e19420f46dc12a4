import { DAY_MS } from "@farline/domain/durations.ts";
import { clientHost } from "@farline/domain/client-network.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { uuidv7 } from "uuidv7";
import type { Transaction } from "../../platform/database/database.ts";
import type { SecretKeys } from "../../platform/settings/secret-keys.ts";
import { renewBrowserCookie } from "./browser.ts";
import { deviceName, shortNetwork } from "./device-name.ts";
import { rememberBrowser } from "../record/known-browser.store.ts";
import { insertSecurityEvent } from "../record/security-event.store.ts";
import { recordIdentityHashes } from "../identity-hashes/identity-hash.store.ts";
import { type IdentityHash, whereaboutsHashes } from "../identity-hashes/identity-hashes.ts";
import { insertSession, type SessionOrigin } from "./session.store.ts";
import { hashToken, newToken } from "../../platform/sealed-value.ts";

const IDLE_DAYS = 7;
const ABSOLUTE_DAYS = 30;
const MAX_SESSIONS = 10;
const MAX_BROWSERS = 10;

/** Sessions not seen since this time have expired. */
export function idleSince(now: Date): Date {
  return new Date(now.getTime() - IDLE_DAYS * DAY_MS);
}

/** The origin of a sign-in, with its browser. */
export interface SignInOrigin extends SessionOrigin {
  /** SHA-256 of the browser cookie, whether bound to the session or not. */
  readonly knownBrowser: Buffer;
  readonly identityHashes: readonly IdentityHash[];
}

/**
 * Reads the origin of a sign-in, and sets the browser's cookie. With the header `X-Session-Bind: 1` the session
 * is valid only in this browser, so that a stolen token is useless elsewhere.
 */
export function signInOrigin(request: FastifyRequest, reply: FastifyReply, keys: SecretKeys): SignInOrigin {
  const knownBrowser = renewBrowserCookie(request, reply);
  const network = shortNetwork(clientHost(request.ip));
  return {
    device: deviceName(request.headers["user-agent"]),
    network,
    browserHash: request.headers["x-session-bind"] === "1" ? knownBrowser : null,
    knownBrowser,
    identityHashes: whereaboutsHashes(keys, { network, browser: knownBrowser }),
  };
}

/** Starts a session, and ends the least recently used one beyond ten. */
export async function startSession(
  tx: Transaction,
  customerId: string,
  now: Date,
  origin: SignInOrigin,
): Promise<{ readonly sessionId: string; readonly token: string }> {
  const sessionId = uuidv7();
  const token = newToken("fl_");
  const expiresAt = new Date(now.getTime() + ABSOLUTE_DAYS * DAY_MS);
  await insertSession(tx, {
    id: sessionId,
    customerId,
    tokenHash: hashToken(token),
    now,
    expiresAt,
    maxSessions: MAX_SESSIONS,
    origin,
  });
  await insertSecurityEvent(tx, { customerId, kind: "signed_in", from: origin, at: now });
  await rememberBrowser(tx, { customerId, browserHash: origin.knownBrowser, now, maxBrowsers: MAX_BROWSERS });
  await recordIdentityHashes(tx, { customerId, identityHashes: origin.identityHashes, now });
  return { sessionId, token };
}
