import type { SecondFactorRequest } from "@farline/contract/second-factor.ts";
import { AppError } from "../../platform/app-error.ts";
import { findCustomer, lockCustomer, type Profile } from "../record/customer.store.ts";
import { isBrowserOf } from "../record/known-browser.store.ts";
import { insertSecurityEvent } from "../record/security-event.store.ts";
import { startSession, type SignInOrigin } from "../session/start-session.ts";
import { codeWrong, consumeCode } from "../credentials/check-code.ts";
import { hashChallenge } from "../sign-in/finish-sign-in.ts";
import { deleteSignInChallenge, countChallengeAttempt } from "../record/sign-in-challenge.store.ts";
import type { AccountContext } from "../account-context.ts";

/**
 * Completes a sign-in with its second factor. Each attempt is counted before it is checked: five per sign-in, and five in
 * ten minutes per customer; browsers that the customer has used are counted apart, each by itself.
 * @throws AppError code_wrong, sign_in_expired, rate_limited
 */
export async function finishSecondFactor(
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
    const kind = await consumeCode(tx, { customerId, code, now, keys: ctx.config.secretKeys });
    if (kind === null) return null;
    const customer = await findCustomer(tx, customerId);
    if (customer === undefined || !(await deleteSignInChallenge(tx, hash))) throw expired();
    if (kind === "recovery_code")
      await insertSecurityEvent(tx, { customerId, kind: "recovery_code_used", from: origin, at: now });
    return { customer, token: await startSession(tx, customerId, now, origin) };
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
