import { SECURITY_EVENTS_KEPT_DAYS } from "@farline/contract/constants.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import type { Job } from "../platform/jobs/jobs.ts";
import { deleteExpired } from "./record/customer.store.ts";
import { browsersSince } from "./session/browser.ts";
import { deleteExpiredFlows } from "./record/google.store.ts";
import { sendResetLinks } from "./password/reset-password.ts";
import { attackDetector } from "./robot-check/robot-check.ts";
import { deleteOldChecks } from "./robot-check/robot-check.store.ts";
import { deleteExpiredChallenges } from "./record/second-factor.store.ts";
import { deleteSecurityEvents, insertSecurityEvent } from "./record/security-event.store.ts";
import { deleteExpiredSessions } from "./session/session.store.ts";
import { idleSince } from "./session/start-session.ts";
import { deleteOldIdentityHashes } from "./identity-hashes/identity-hash.store.ts";
import type { AccountContext } from "./account-context.ts";
import { dequeueFailedSignIns } from "./limits/sign-in-guard.store.ts";
import type { Context } from "../context.ts";

const MAX_PER_RUN = 200;

export { createAccountContext, type AccountContext, type EndElsewhere } from "./account-context.ts";

export { accountRoutes } from "./account-routes.ts";

export {
  closeFreezeReview,
  countRegistered,
  findCustomer,
  findCustomerId,
  findOrInsertGuest,
  hasFreezeReview,
  lockCustomer,
  lockStanding,
  passwordResetAt,
  storeClosing,
  type Customer,
  type Profile,
} from "./record/customer.store.ts";

export { createAuthenticate } from "./session/authenticate.ts";

export { deleteMailLinks } from "./record/mail-link.store.ts";

export { issueLink, readLink } from "./email/mail-links.ts";

export { insertSecurityEvent, KINDS_WITH_SUBJECT } from "./record/security-event.store.ts";

export { recordWithNotice, sendNotice } from "./record/send-notice.ts";

export { hashPassword, PASSWORD_COST, verifyPassword } from "./credentials/password-hash.ts";

export { checkNewPassword } from "./credentials/password-rules.ts";

export { newAuthenticatorSecret, stepOfCode } from "./credentials/authenticator-code.ts";

export { codeWrong, openSecret, sealSecret } from "./credentials/check-code.ts";

export { operatorSignInLimits, type SignInLimits } from "./limits/sign-in-limits.ts";

export { authenticatorSetup } from "./second-factor/set-up-authenticator.ts";

export {
  consumeNamedChallenge,
  creationOptions,
  hashPasskeyChallenge,
  PASSKEY_CHALLENGE_MS,
  passkeyRefused,
  requestOptions,
  verifyCreation,
  verifyUse,
  type PasskeyOptions,
} from "./second-factor/webauthn.ts";

export { isOriginKnown } from "./identity-hashes/identity-hash.store.ts";

export { isDisposableAddress } from "./record/to-user.ts";

export { freezeCustomer, freezeForReview, isFrozenForPayment, unfreezeCustomer, requireOpen } from "./freeze-customer.ts";

export { requireRecentSignIn } from "./session/prove-owner.ts";

export { recoverCustomer } from "./sign-in/register.ts";

export { confirmAddress, sendVerification } from "./email/verify-email.ts";

export { endAllAccess, endAccess, signOutEverywhere } from "./session/end-access.ts";

export { requireProof } from "./robot-check/robot-check.ts";

export { askerFor, knownDoor, perDoor, perLink, takeKnown, type Known } from "./doors.ts";

export { browserHashOf, browsersSince, renewBrowserCookie } from "./session/browser.ts";

export type { RequestOrigin } from "./record/request-origin.ts";
export { requestOrigin, shortNetworkOf } from "./session/device-name.ts";

export { takeTurns } from "./session/customer-turns.ts";

export { customerOf, perCustomer, requireStepUp, sessionGuards, sessionOf } from "./session/session-guards.ts";

export { findValidSessions, lockSession, type SessionWithCustomer } from "./session/session.store.ts";

export { signInMethodRoutes } from "./sign-in-method-routes.ts";

const CLEAN_EVERY_MS = 60 * 60 * 1000;

/** How long the counts of sign-ins per minute are kept. */
const KEEP_MINUTES_MS = 60 * 60 * 1000;

const WATCH_EVERY_MS = 60_000;

const RECORD_EVERY_MS = 1_000;

const RESET_EVERY_MS = 1_000;

const FORGET_MARKS_EVERY_MS = 6 * 60 * 60 * 1000;

/**
 * Processes password-reset requests, records wrong passwords, warns while many sign-ins fail, and removes expired sessions, links
 * and counters.
 */
export function accountJobs(ctx: AccountContext): Job[] {
  const detector = attackDetector(ctx);
  return [
    {
      name: "remove-expired-sessions",
      everyMs: CLEAN_EVERY_MS,
      run: async (signal) => {
        const { db } = ctx.handle;
        const now = ctx.clock.now();
        const before = (ms: number) => new Date(now.getTime() - ms);
        await deleteExpiredSessions(db, { now, idleSince: idleSince(now) }, signal);
        await deleteExpired(db, { now, yesterday: before(DAY_MS), browsersSince: browsersSince(now) }, signal);
        await deleteExpiredFlows(db, now, signal);
        await deleteExpiredChallenges(db, now, signal);
        await deleteOldChecks(db, { now, since: before(KEEP_MINUTES_MS) }, signal);
        await deleteSecurityEvents(db, before(SECURITY_EVENTS_KEPT_DAYS * DAY_MS), signal);
      },
    },
    {
      name: "forget-person-marks",
      everyMs: FORGET_MARKS_EVERY_MS,
      run: (signal) => deleteOldIdentityHashes(ctx.handle.db, ctx.clock.now(), signal),
    },
    { name: "answer-reset-requests", everyMs: RESET_EVERY_MS, run: () => sendResetLinks(ctx) },
    { name: "record-failed-sign-ins", everyMs: RECORD_EVERY_MS, run: () => recordFailedSignIns(ctx) },
    {
      name: "watch-sign-ins",
      everyMs: WATCH_EVERY_MS,
      run: async () => {
        const { attack, ...seen } = await detector.read();
        if (attack) ctx.log.warn(seen, "login failures are spiking: unknown browsers must solve a proof of work");
      },
    },
  ];
}

/** Records failed sign-ins since the last run as events of their accounts, and drops those for unknown addresses. */
async function recordFailedSignIns(ctx: Context): Promise<void> {
  await ctx.transaction(async (tx) => {
    for (const { customerId, device, network, at } of await dequeueFailedSignIns(tx, MAX_PER_RUN))
      if (customerId !== null)
        await insertSecurityEvent(tx, { customerId, kind: "sign_in_failed", from: { device, network }, at });
  });
}
