import { GOOGLE_COOKIE_SECONDS } from "@farline/contract/constants.ts";
import type { SignInResponse } from "@farline/contract/accounts.ts";
import { recordWithNotice } from "../record/send-notice.ts";
import { AppError } from "../../platform/app-error.ts";
import { serve } from "../../platform/http/endpoint.ts";
import type { App, Guard } from "../../platform/http/http.ts";
import { preferredLanguage } from "../../platform/http/say.ts";
import { sharedNetworkLimit } from "../../platform/http/network-limit.ts";
import { perDoor } from "../doors.ts";
import { toUser } from "../record/to-user.ts";
import { sessionOf } from "../session/session-guards.ts";
import { browserHashOf } from "../session/browser.ts";
import { requestOrigin } from "../session/device-name.ts";
import type { RequestOrigin } from "../record/request-origin.ts";
import { signInOrigin } from "../session/start-session.ts";
import type { GoogleClaims } from "./decide-link.ts";
import { completeFlow, dropFlowCookie, flowCookieOf, renewFlowCookie, REPLAY_SECONDS, startFlow } from "./google-flow.ts";
import { googleFailed, googleProvider, type GoogleContext } from "./google-provider.ts";
import { signInWithGoogle } from "./sign-in-with-google.ts";
import type { AccountContext } from "../account-context.ts";
import { endAccess } from "../session/end-access.ts";
import { listPasskeys } from "../record/second-factor.store.ts";
import { lockSession, type SessionWithCustomer } from "../session/session.store.ts";
import {
  deleteIdentity,
  findIdentityOf,
  findIdentityOwner,
  insertIdentity,
  isIdentityTakenError,
} from "../record/google.store.ts";

/** `/api/auth/google/…`: Google sign-in. `/api/account/google/…`: linking and unlinking. */
export function googleRoutes(app: App, ctx: AccountContext): void {
  const { clock, config } = ctx;
  const google = config.google && { ...ctx, provider: googleProvider(config.google, clock, ctx.uses) };
  const googleContext = (): GoogleContext => {
    if (google === null) throw new AppError("unavailable", { reason: "google_off" });
    return google;
  };
  const guards = {
    redirect: perDoor(ctx, sharedNetworkLimit(ctx, "google-redirect")),
    callback: perDoor(ctx, sharedNetworkLimit(ctx, "google-callback")),
  };
  signInRoutes(app, googleContext, guards);
  connectRoutes(app, googleContext, guards);
}

type Limits = Record<"redirect" | "callback", Guard>;

function signInRoutes(app: App, googleContext: () => GoogleContext, limits: Limits): void {
  serve(app, "GET /api/auth/google/redirect", {
    onRequest: limits.redirect,
    handler: async (request, reply) => {
      const google = googleContext();
      const cookie = renewFlowCookie(request, reply, GOOGLE_COOKIE_SECONDS);
      return { url: await startFlow(google, cookie, { purpose: "sign_in", customerId: null }) };
    },
  });

  serve(app, "POST /api/auth/google/callback", {
    onRequest: limits.callback,
    handler: async (request, reply) => {
      const google = googleContext();
      const cookie = flowCookieOf(request);
      const flow = { purpose: "sign_in", customerId: null, cookie, callback: request.body } as const;
      const finish = async (claims: GoogleClaims): Promise<SignInResponse> => {
        const visitor = {
          origin: signInOrigin(request, reply, google.config.secretKeys),
          language: request.body.language ?? preferredLanguage(request.headers["accept-language"]),
        };
        const { customer, outcome, decision } = await signInWithGoogle(google, claims, visitor);
        request.log.info({ customer: customer.id, decision }, "signed in with Google");
        if (outcome.kind !== "signed_in") return outcome.response;
        return { token: outcome.token, user: toUser(customer), ...(decision === "create" ? { is_new: true as const } : {}) };
      };
      try {
        const answer = await completeFlow(google, flow, finish);
        // A page that repeats the code still needs the cookie.
        renewFlowCookie(request, reply, REPLAY_SECONDS);
        return answer;
      } catch (error) {
        dropFlowCookie(reply);
        throw error;
      }
    },
  });
}

function connectRoutes(app: App, googleContext: () => GoogleContext, limits: Limits): void {
  serve(app, "POST /api/account/google/link", {
    onRequest: limits.redirect,
    handler: async (request, reply) => {
      const google = googleContext();
      const customer = sessionOf(request);
      const cookie = renewFlowCookie(request, reply, GOOGLE_COOKIE_SECONDS);
      return { url: await startFlow(google, cookie, { purpose: "link", customerId: customer.id }) };
    },
  });

  serve(app, "POST /api/account/google/callback", {
    onRequest: limits.callback,
    handler: async (request) => {
      const google = googleContext();
      const customer = sessionOf(request);
      const flow = { purpose: "link", customerId: customer.id, cookie: flowCookieOf(request), callback: request.body } as const;
      await completeFlow(google, flow, async (claims) => {
        await connectGoogle(google, customer, { claims, from: requestOrigin(request) });
        return null;
      });
    },
  });

  serve(app, "DELETE /api/account/google", async (request) => {
    const google = googleContext();
    const customer = sessionOf(request);
    await disconnectGoogle(google, customer, {
      issuer: google.provider.issuer,
      browserHash: browserHashOf(request),
      from: requestOrigin(request),
    });
  });
}

/**
 * Links a Google account to the signed-in customer; the addresses may differ. Idempotent.
 * @throws AppError google_failed, conflict
 */
async function connectGoogle(
  ctx: GoogleContext,
  customer: SessionWithCustomer,
  given: { claims: GoogleClaims; from: RequestOrigin },
): Promise<void> {
  const { claims, from } = given;
  const now = ctx.clock.now();
  if (!claims.emailVerified) throw googleFailed({ reason: "email not verified" });
  try {
    await ctx.transaction(async (tx) => {
      await lockSession(tx, customer);
      const owner = await findIdentityOwner(tx, claims);
      if (owner?.id === customer.id) return;
      if (owner !== undefined) throw belongsToAnother();
      if (await findIdentityOf(tx, { customerId: customer.id, issuer: claims.issuer }))
        throw new AppError("conflict", { reason: "google_other_connected" });
      await insertIdentity(tx, { ...claims, customerId: customer.id, now });
      await recordWithNotice(tx, customer, { event: "google_linked", detail: claims.email, from, at: now });
    });
  } catch (error) {
    if (isIdentityTakenError(error)) throw belongsToAnother();
    throw error;
  }
}

/** Unlinks Google, and ends the other sessions, which it may have opened. @throws AppError last_sign_in_method, not_found */
async function disconnectGoogle(
  ctx: GoogleContext,
  customer: SessionWithCustomer,
  given: { issuer: string; browserHash: Buffer | null; from: RequestOrigin },
): Promise<void> {
  const now = ctx.clock.now();
  await ctx.transaction(async (tx) => {
    await lockSession(tx, customer);
    if (!(await deleteIdentity(tx, { customerId: customer.id, issuer: given.issuer })))
      throw new AppError("not_found", { reason: "google_not_connected" });
    if (!customer.hasPassword && (await listPasskeys(tx, customer.id)).length === 0)
      throw new AppError("last_sign_in_method", { reason: "last_sign_in_method_google" });
    const others = { customerId: customer.id, exceptSession: customer.sessionId, exceptBrowser: given.browserHash };
    await endAccess(tx, others, { by: "sign_in_method_removed", at: now });
    await recordWithNotice(tx, customer, { event: "google_unlinked", from: given.from, at: now });
  });
}

function belongsToAnother(): AppError {
  return new AppError("conflict", { reason: "google_account_taken" });
}
