import type { UserChangeRequest } from "@farline/contract/account-access.ts";
import type { Activity } from "@farline/contract/account-activity.ts";
import type { LoginRequest } from "@farline/contract/accounts.ts";
import { AppError } from "../platform/app-error.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { preferredLanguage, say } from "../platform/http/say.ts";
import { isWithin } from "../platform/http/rate-limit.ts";
import {
  findByEmail,
  lockCustomer,
  passwordResetAt,
  storeLanguage,
  storeName,
  storePassword,
  type Profile,
  type StoredPassword,
} from "./record/customer.store.ts";
import { sessionOf } from "./session/session-guards.ts";
import { browserHashOf } from "./session/browser.ts";
import { toUser } from "./record/to-user.ts";
import { insertFailedSignIn } from "./limits/sign-in-guard.store.ts";
import { passwordRoutes } from "./password/password-routes.ts";
import { checkNewPassword } from "./credentials/password-rules.ts";
import { register } from "./sign-in/register.ts";
import { requestOrigin } from "./session/device-name.ts";
import { requireProof } from "./robot-check/robot-check.ts";
import { finishFirstFactor } from "./sign-in/finish-sign-in.ts";
import { sessionRoutes } from "./session/session-routes.ts";
import { signInOrigin } from "./session/start-session.ts";
import type { AccountContext } from "./account-context.ts";
import {
  insertSecurityEvent,
  KINDS_WITH_SUBJECT,
  listSecurityEvents,
  type SecurityEvent,
  type SecurityEventRow,
} from "./record/security-event.store.ts";
import { lockSession, type SessionWithCustomer } from "./session/session.store.ts";
import { pageOf, readCursor } from "../platform/read-cursor.ts";
import { hashPassword, verifyPassword } from "./credentials/password-hash.ts";
import { linkUses, requireMailed, sayMailed } from "../mail/mail.ts";
import { perLink } from "./doors.ts";
import { confirmChangeByLink, startEmailChange } from "./email/change-email.ts";
import { proveOwner } from "./session/prove-owner.ts";
import { sendVerification, verifyByCode, verifyEmail } from "./email/verify-email.ts";

const PAGE = 20;

/** Unix time in milliseconds and id of the last event shown. */
const CURSOR = /^(\d{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

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
    const { customer, token } = await register(ctx, wanted, signInOrigin(request, reply, ctx.config.secretKeys));
    request.log.info({ customer: customer.id }, "customer registered");
    return { token, user: toUser(customer) };
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

interface UserChange {
  readonly session: SessionWithCustomer;
  readonly change: UserChangeRequest;
  readonly from: SecurityEvent["from"];
}

/**
 * Changes the language of a customer's mails, or the name. The account's history keeps the earlier name. Receipts keep the name that
 * they were issued to.
 * @throws AppError rate_limited after too many new names
 */
async function changeUser(ctx: AccountContext, { session, change, from }: UserChange): Promise<SessionWithCustomer> {
  const { language = session.language, name = session.name } = change;
  const isRenamed = name !== session.name;
  if (isRenamed) await ctx.limits.nameChange.take(session.id);
  await ctx.transaction(async (tx) => {
    await lockSession(tx, session);
    if (change.language !== undefined) await storeLanguage(tx, session.id, language);
    if (!isRenamed) return;
    await storeName(tx, session.id, name);
    const event = { kind: "name_changed", detail: session.name, from, at: ctx.clock.now() } as const;
    await insertSecurityEvent(tx, { ...event, customerId: session.id });
  });
  if (isRenamed) ctx.live.publish(session.id, { type: "account" });
  return { ...session, language, name };
}

/** `/api/account/activity`: security events of the account and its sign-in methods. */
function activityRoutes(app: App, ctx: AccountContext): void {
  const { db } = ctx.handle;

  serve(app, "GET /api/account/activity", async (request) => {
    const { id: customerId } = sessionOf(request);
    const before = readCursor(request.query.cursor, CURSOR, (time, id) => ({ at: new Date(Number(time)), id }));
    const rows = await listSecurityEvents(db, { customerId, limit: PAGE + 1, before });
    const { shown, next } = pageOf(rows, PAGE, (last) => `${last.happenedAt.getTime()}.${last.id}`);
    return { activity: { data: shown.map(toActivity), next_cursor: next } };
  });
}

function toActivity(row: SecurityEventRow): Activity {
  const subject = KINDS_WITH_SUBJECT.has(row.kind) ? row.detail : null;
  return { id: row.id, kind: row.kind, at: row.happenedAt.toISOString(), device: row.device, network: row.network, subject };
}

/**
 * Checks an address and a password. An unknown address and a wrong password get the same response in the same
 * time.
 * @throws AppError credentials_wrong
 */
async function checkCredentials(ctx: AccountContext, { email, password }: LoginRequest): Promise<Profile> {
  const found = await findByEmail(ctx.handle.db, email);
  const { right, stale } = await verifyPassword(ctx.config.secretKeys, password, found?.password ?? null, ctx.costs.password);
  if (found === undefined || !right) throw credentialsWrong();
  const { password: stored, ...profile } = found;
  if (stale && stored !== null) await rehashPassword(ctx, { customerId: profile.id, password, stored });
  return profile;
}

/** The refusal for an unknown address, a wrong password, and a password changed during the request. */
function credentialsWrong(): AppError {
  return new AppError("credentials_wrong");
}

/** Rehashes a correct password with the current parameters. */
async function rehashPassword(
  ctx: AccountContext,
  old: { customerId: string; password: string; stored: StoredPassword },
): Promise<void> {
  try {
    const password = await hashPassword(ctx.config.secretKeys, old.password, ctx.costs.password);
    // oxlint-disable-next-line farline/audited-credentials -- the same password with new parameters
    await storePassword(ctx.handle.db, { customerId: old.customerId, password, onlyInPlaceOf: old.stored.hash });
  } catch (error) {
    // Too busy now: the next sign-in retries.
    if (!(error instanceof AppError)) throw error;
  }
}

/** `/api/email/…`: verifying an address, and changing it. */
function emailRoutes(app: App, ctx: AccountContext): void {
  const { limits } = ctx;
  const { secretKeys } = ctx.config;

  serve(app, "POST /api/email/verification", async (request) => {
    const customer = sessionOf(request);

    if (customer.emailVerified) return say("email_confirmed_already");
    await limits.verifyHour.take(customer.id);
    const asked = { now: ctx.clock.now(), sessionId: customer.sessionId };
    const mailed = await ctx.transaction(async (tx) => requireMailed(await sendVerification(tx, customer, asked)));
    return sayMailed(ctx, [mailed], { reason: "email_sent", params: { email: customer.email } });
  });

  serve(app, "POST /api/email/verify", {
    preHandler: perLink(secretKeys, limits.linkNetwork, [linkUses.verifyEmail]),
    handler: async (request) => {
      const { customer, resetToken } = await verifyEmail(ctx, request.body.token, {
        network: requestOrigin(request).network,
        browser: browserHashOf(request),
      });
      if (resetToken !== null) return { status: "choose_password", ...say("email_choose_password"), reset_token: resetToken };
      request.log.info({ customer: customer.id }, "email address verified");
      ctx.live.publish(customer.id, { type: "account" });
      return { status: "verified", ...say("email_confirmed"), email: customer.email };
    },
  });

  serve(app, "POST /api/email/verify/code", async (request) => {
    const session = sessionOf(request);
    await limits.emailCodeDay.take(session.id);
    await limits.emailCodeNetwork.take(request.ip);
    const from = { network: requestOrigin(request).network, browser: browserHashOf(request) };
    await verifyByCode(ctx, session, { code: request.body.code, from });
    request.log.info({ customer: session.id }, "email address verified by code");
    ctx.live.publish(session.id, { type: "account" });
    return { status: "verified", ...say("email_confirmed"), email: session.email };
  });

  serve(app, "POST /api/email/change", async (request) => {
    const session = sessionOf(request);
    const { email, current_password } = request.body;
    await proveOwner(ctx, session, { password: current_password, from: requestOrigin(request) });
    await limits.emailChange.take(session.id);
    const mailed = await startEmailChange(ctx, session, email);
    request.log.info({ customer: session.id }, "email change requested");
    const reason = session.emailVerified ? "email_change_sent_to_both" : "email_change_sent";
    return sayMailed(ctx, mailed, { reason, params: { email, ...(session.emailVerified ? { present: session.email } : {}) } });
  });

  serve(app, "POST /api/email/change/confirm", {
    preHandler: perLink(secretKeys, limits.linkNetwork, [linkUses.changeEmailNew, linkUses.changeEmailOld]),
    handler: async (request) => {
      const opened = { token: request.body.token, browserHash: browserHashOf(request), from: requestOrigin(request) };
      const { status, email } = await confirmChangeByLink(ctx, opened);
      if (status === "changed") request.log.info("email address changed");
      return { status, ...say(`email_change_${status === "changed" ? "done" : status}`), email };
    },
  });
}
