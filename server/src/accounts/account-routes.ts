import { AppError } from "../platform/app-error.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { preferredLanguage } from "../platform/http/preferred-language.ts";
import { isWithin } from "../platform/http/rate-limit.ts";
import { changeUser } from "./change-user.ts";
import { lockCustomer, passwordResetAt } from "./record/customer.store.ts";
import { activityRoutes } from "./activity-routes.ts";
import { sessionOf } from "./session/session-guards.ts";
import { browserHashOf } from "./session/browser.ts";
import { toUser } from "./record/to-user.ts";
import { emailRoutes } from "./email/email-routes.ts";
import { insertFailedSignIn } from "./sign-in/failed-sign-in.store.ts";
import { passwordRoutes } from "./password/password-routes.ts";
import { checkNewPassword } from "./credentials/password-rules.ts";
import { register } from "./sign-in/register.ts";
import { requestOrigin } from "./session/request-origin.ts";
import { requireProof } from "./robot-check/robot-check.ts";
import { finishFirstFactor } from "./sign-in/finish-sign-in.ts";
import { sessionRoutes } from "./session/session-routes.ts";
import { checkCredentials, credentialsWrong } from "./sign-in/sign-in.ts";
import { signInOrigin } from "./session/start-session.ts";
import type { AccountContext } from "./account-context.ts";

/** Accounts: sign-up, sign-in, the signed-in customer, email addresses, passwords, devices. */
export function accountRoutes(app: App, ctx: AccountContext): void {
  signInRoutes(app, ctx);
  userRoutes(app, ctx);
  emailRoutes(app, ctx);
  passwordRoutes(app, ctx);
  sessionRoutes(app, ctx);
  activityRoutes(app, ctx);
}

function signInRoutes(app: App, ctx: AccountContext): void {
  const { limits } = ctx;
  serve(app, "POST /api/register", async (request, reply) => {
    const wanted = { ...request.body, language: request.body.language ?? preferredLanguage(request.headers["accept-language"]) };
    checkNewPassword(wanted, wanted);
    if (!(await isWithin(limits.registerFree, request.ip))) await requireProof(ctx, "register", wanted.proof);
    await limits.registerHour.take(request.ip);
    await limits.registerDay.take(request.ip);
    const { customer, token, linkMailed } = await register(ctx, wanted, signInOrigin(request, reply, ctx.config.secretKeys));
    request.log.info({ customer: customer.id }, "customer registered");
    return {
      token,
      user: toUser({ ...customer, hasPassword: true, emailRefused: false, linkMailed, frozenBecause: null, closesAt: null }),
    };
  });

  serve(app, "POST /api/login", async (request, reply) => {
    const wanted = request.body;
    // Counted before the password is checked, so that parallel attempts cannot slip through; a correct one does not count.
    const attempt = await limits.signIn.take({
      email: wanted.email,
      address: request.ip,
      browserHash: browserHashOf(request),
      proof: wanted.proof,
    });
    const askedAt = ctx.clock.now();
    const customer = await checkCredentials(ctx, wanted).catch(async (error: unknown) => {
      if (error instanceof AppError && error.code === "credentials_wrong") {
        await attempt.failed();
        await insertFailedSignIn(ctx.handle.db, { email: wanted.email, from: requestOrigin(request), at: ctx.clock.now() });
      } else await attempt.notChecked();
      throw error;
    });
    await attempt.succeeded();
    const origin = signInOrigin(request, reply, ctx.config.secretKeys);
    const outcome = await ctx.transaction(async (tx) => {
      await lockCustomer(tx, customer.id);
      const resetAt = await passwordResetAt(tx, customer.id);
      if (resetAt !== null && resetAt > askedAt) throw credentialsWrong();
      return finishFirstFactor(tx, customer.id, ctx.clock.now(), origin);
    });
    return outcome.kind === "signed_in" ? { token: outcome.token, user: toUser(customer) } : outcome.response;
  });
}

function userRoutes(app: App, ctx: AccountContext): void {
  serve(app, "GET /api/user", async (request) => ({
    user: toUser(sessionOf(request)),
  }));

  serve(app, "PATCH /api/user", async (request) => {
    const session = sessionOf(request);
    return { user: toUser(await changeUser(ctx, { session, change: request.body, from: requestOrigin(request) })) };
  });
}
