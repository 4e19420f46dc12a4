import type { SecondFactorRequest } from "@farline/contract/second-factor.ts";
import { serve } from "../../platform/http/endpoint.ts";
import type { App } from "../../platform/http/http.ts";
import { sharedNetworkLimit } from "../../platform/http/network-limit.ts";
import { hashChallenge } from "../sign-in/finish-sign-in.ts";
import { countChallengeAttempt, deleteSignInChallenge, isOpenChallenge } from "../record/second-factor.store.ts";
import { type Known, takeKnown } from "../doors.ts";
import { toUser } from "../record/to-user.ts";
import { sessionOf } from "../session/session-guards.ts";
import { browserHashOf } from "../session/browser.ts";
import { requestOrigin } from "../session/device-name.ts";
import { signInOrigin, type SignInOrigin, startSession } from "../session/start-session.ts";
import { confirmSetup, removeAuthenticator, renewRecoveryCodes, startAuthenticator } from "./set-up-authenticator.ts";
import type { AccountContext } from "../account-context.ts";
import { AppError } from "../../platform/app-error.ts";
import { findCustomer, lockCustomer, type Profile } from "../record/customer.store.ts";
import { isBrowserOf } from "../record/known-browser.store.ts";
import { insertSecurityEvent } from "../record/security-event.store.ts";
import { codeWrong, consumeCode } from "../credentials/check-code.ts";

/** `/api/login/second-factor` and `/api/account/authenticator`: authenticator and recovery codes. */
export function secondFactorRoutes(app: App, ctx: AccountContext): void {
  const network = sharedNetworkLimit(ctx, "second-factor-network");

  serve(app, "POST /api/login/second-factor", {
    preHandler: (request) => takeKnown(network, request, openChallengeOf(ctx)),
    handler: async (request, reply) => {
      const { customer, token } = await finishSecondFactor(
        ctx,
        request.body,
        signInOrigin(request, reply, ctx.config.secretKeys),
      );
      request.log.info({ customer: customer.id }, "signed in with a second factor");
      return { token, user: toUser(customer) };
    },
  });
  authenticatorRoutes(app, ctx);
}

/** A sign-in whose password was right, by its challenge, which has five attempts. */
function openChallengeOf({ handle, clock }: AccountContext): Known {
  return async (request) => {
    const hash = hashChallenge((request.body as { challenge: string }).challenge);
    return (await isOpenChallenge(handle.db, hash, clock.now())) ? `challenge ${hash.toString("base64url")}` : null;
  };
}

function authenticatorRoutes(app: App, ctx: AccountContext): void {
  serve(app, "POST /api/account/authenticator", async (request) => {
    const setup = await startAuthenticator(ctx, sessionOf(request));
    return setup;
  });

  serve(app, "POST /api/account/authenticator/confirm", async (request) => {
    const customer = sessionOf(request);
    const codes = await confirmSetup(ctx, customer, { code: request.body.code, from: requestOrigin(request) });
    request.log.info({ customer: customer.id }, "second factor switched on");
    return { recovery_codes: codes };
  });

  serve(app, "POST /api/account/authenticator/recovery-codes", async (request) => {
    const customer = sessionOf(request);
    return { recovery_codes: await renewRecoveryCodes(ctx, customer, requestOrigin(request)) };
  });

  serve(app, "DELETE /api/account/authenticator", async (request) => {
    const customer = sessionOf(request);
    await removeAuthenticator(ctx, customer, { browserHash: browserHashOf(request), from: requestOrigin(request) });
    request.log.info({ customer: customer.id }, "second factor switched off");
  });
}

/**
 * Completes a sign-in with its second factor. Each attempt is counted before it is checked: five per sign-in, and five in
 * ten minutes per customer; browsers that the customer has used are counted apart, each by itself.
 * @throws AppError code_wrong, sign_in_expired, rate_limited
 */
async function finishSecondFactor(
  ctx: AccountContext,
  { challenge, code }: SecondFactorRequest,
  origin: SignInOrigin,
): Promise<{ customer: Profile; token: string }> {
  const { db } = ctx.handle;
  const now = ctx.clock.now();
  const hash = hashChallenge(challenge);
  const customerId = await countChallengeAttempt(db, hash, now);
  if (customerId === null) throw expired();
  const who = await ownerKey(ctx, customerId, origin);
  await ctx.limits.codeTries.take(who);
  const result = await ctx.transaction(async (tx) => {
    await lockCustomer(tx, customerId);
    const customer = await findCustomer(tx, customerId);
    if (customer === undefined) throw expired();
    if (!(await consumeCode(tx, ctx.config.secretKeys, { customer, code, from: origin, now }))) return null;
    if (!(await deleteSignInChallenge(tx, hash))) throw expired();
    const { token } = await startSession(tx, customerId, now, origin);
    return { customer, token };
  });
  if (result === null) {
    await insertSecurityEvent(db, { customerId, kind: "second_factor_failed", from: origin, at: now });
    throw codeWrong();
  }
  await ctx.limits.codeTries.clear(who);
  return result;
}

/** Anyone who knows the password can use up a customer's attempts, but not those of the customer's own browsers. */
async function ownerKey({ handle }: AccountContext, customerId: string, { knownBrowser }: SignInOrigin): Promise<string> {
  const isOwn = await isBrowserOf(handle.db, { customerId, browserHash: knownBrowser });
  return isOwn ? `${customerId} ${knownBrowser.toString("base64url")}` : customerId;
}

function expired(): AppError {
  return new AppError("sign_in_expired");
}
