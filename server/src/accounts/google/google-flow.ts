import { createHash, hkdfSync, randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { GOOGLE_COOKIE_SECONDS, googleReturnPaths } from "@farline/contract/constants.ts";
import type { GoogleCallbackRequest } from "@farline/contract/google.ts";
import { randomNonce, randomPKCECodeVerifier, randomState } from "openid-client";
import { uuidv7 } from "uuidv7";
import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../platform/app-error.ts";
import { openValue, sealValue } from "../../platform/sealed-value.ts";
import type { GoogleClaims } from "./decide-link.ts";
import { claimFlow, findUsedFlow, insertFlow, storeAnswer } from "../record/google.store.ts";
import { type GoogleContext, googleFailed } from "./google-provider.ts";
import type { FlowPurpose } from "../record/accounts.tables.ts";
import { readHostCookie, setHostCookie } from "../../platform/http/host-cookie.ts";

/** How long a repeated code gets the first response again. */
export const REPLAY_SECONDS = 30;

const MAX_OPEN = 5;

/** Upper bound of an exchange: three requests of five seconds. */
const ANSWER_WITHIN_MS = 15_000;

const POLL_MS = 50;

/** The browser and customer of a flow. */
interface FlowOwner {
  readonly purpose: FlowPurpose;
  /** Null for a sign-in. */
  readonly customerId: string | null;
}

/**
 * Binds a Google sign-in to the browser that started it, so that a code injected into another browser, or stolen from this
 * one, is useless.
 */
const COOKIE = "__Host-gflow";

const BYTES = 32;

const VALUE = /^[A-Za-z0-9_-]{43}$/;

/** Starts a flow for the browser with this cookie. @returns the redirect URL @throws AppError unavailable */
export async function startFlow(ctx: GoogleContext, cookie: string, owner: FlowOwner): Promise<string> {
  const now = ctx.clock.now();
  const secrets = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
  const url = await ctx.provider.authorizationUrl(secrets, redirectUri(ctx, owner.purpose));
  await ctx.transaction((tx) =>
    insertFlow(tx, {
      id: uuidv7(),
      ...secrets,
      ...owner,
      browserHash: hashFlowCookie(cookie),
      now,
      expiresAt: new Date(now.getTime() + GOOGLE_COOKIE_SECONDS * 1000),
      maxOpen: MAX_OPEN,
    }),
  );
  return url.href;
}

/**
 * Completes a flow: once, only in the browser that started it, with a code that Google issued for this flow.
 * @param given.cookie the browser's flow cookie, or null
 * @param finish handles the claims; its result must be plain JSON
 * @throws AppError google_failed, validation_failed without a code, unavailable, and what `finish` throws
 */
export async function completeFlow<Answer>(
  ctx: GoogleContext,
  given: FlowOwner & { cookie: string | null; callback: GoogleCallbackRequest },
  finish: (claims: GoogleClaims) => Promise<Answer>,
): Promise<Answer> {
  const { cookie, purpose, customerId } = given;
  const { code, state = null, iss = null, error } = given.callback;
  if (error === undefined && code === undefined)
    throw new AppError("validation_failed", { reason: "google_no_code", field: "code" });
  if (cookie === null) throw googleFailed({ cause: new Error("no flow cookie") });
  const wanted = { browserHash: hashFlowCookie(cookie), codeHash: hash(code ?? ""), purpose, state };
  const flow = await claimFlow(ctx.handle.db, { ...wanted, customerId, now: ctx.clock.now() });
  if (code === undefined) {
    if (flow !== undefined) await storeAnswer(ctx.handle.db, flow.id, null);
    throw new AppError("google_failed", { reason: "google_cancelled" });
  }
  const key = answerKey(cookie, code);
  if (flow === undefined) return (await replayedAnswer(ctx, wanted, key)) as Answer;
  try {
    const claims = await ctx.provider.claims(flow, { code, iss, redirectUri: redirectUri(ctx, purpose) });
    const answer = await finish(claims);
    await storeAnswer(ctx.handle.db, flow.id, sealValue(key, JSON.stringify(answer), flow.id));
    return answer;
  } catch (failure) {
    await storeAnswer(ctx.handle.db, flow.id, null);
    throw failure;
  }
}

/** The response to this code's first request, moments ago. Waits while that exchange is still running. */
async function replayedAnswer(
  ctx: GoogleContext,
  wanted: { browserHash: Buffer; codeHash: Buffer; purpose: FlowPurpose; state: string | null },
  key: Buffer,
): Promise<unknown> {
  const since = new Date(ctx.clock.now().getTime() - REPLAY_SECONDS * 1000);
  for (let waitedMs = 0; waitedMs <= ANSWER_WITHIN_MS; waitedMs += POLL_MS) {
    const flow = await findUsedFlow(ctx.handle.db, { ...wanted, since });
    if (flow === undefined || flow.failed) break;
    if (flow.answer !== null) return JSON.parse(openValue(key, flow.answer, flow.id));
    await pause(POLL_MS);
  }
  throw googleFailed({ cause: new Error("no open flow for this browser and state") });
}

/** Taken from the settings, so that a request cannot choose the redirect target. */
function redirectUri(ctx: GoogleContext, purpose: FlowPurpose): string {
  return ctx.config.publicUrl + (purpose === "link" ? googleReturnPaths.link : googleReturnPaths.signIn);
}

/** Derived from the cookie and the code, which are not in the database, so that the database alone cannot reveal sealed responses. */
function answerKey(cookie: string, code: string): Buffer {
  return Buffer.from(hkdfSync("sha256", `${cookie}.${code}`, "", "farline google answer", 32));
}

function hash(code: string): Buffer {
  return createHash("sha256").update(code).digest();
}

/** The browser's flow cookie, or null. */
export function flowCookieOf(request: FastifyRequest): string | null {
  const value = readHostCookie(request, COOKIE);
  return value !== undefined && VALUE.test(value) ? value : null;
}

/** Sets the flow cookie, or renews the existing one, because several tabs may sign in in parallel. */
export function renewFlowCookie(request: FastifyRequest, reply: FastifyReply, maxAgeSeconds: number): string {
  const value = flowCookieOf(request) ?? randomBytes(BYTES).toString("base64url");
  setHostCookie(reply, COOKIE, value, maxAgeSeconds);
  return value;
}

export function dropFlowCookie(reply: FastifyReply): void {
  setHostCookie(reply, COOKIE, "", 0);
}

/** Hash of a flow cookie, as stored. */
function hashFlowCookie(cookie: string): Buffer {
  return createHash("sha256").update(cookie).digest();
}
