import type { SecondFactorRequest } from "@farline/contract/second-factor.ts";
import { AppError } from "../../platform/http/app-error.ts";
import type { RateLimit } from "../../platform/http/rate-limit.ts";
import type { AccountDependencies } from "../account-dependencies.ts";
import { findCustomer, lockCustomer, type Profile } from "../accounts.store.ts";
import { insertSecurityEvent } from "../activity/security-event.store.ts";
import { startSession, type SignInOrigin } from "../session/start-session.ts";
import { codeWrong, spendCode } from "./check-code.ts";
import { hashChallenge } from "./finish-sign-in.ts";
import { deleteSignInChallenge, takeChallengeTry } from "./sign-in-challenge.store.ts";

/**
 * Finishes a sign-in by its second factor. Each attempt counts before it is checked: five for one sign-in, and five in ten
 * minutes for one customer.
 * @throws AppError code_wrong, sign_in_expired, rate_limited
 */
export async function finishSecondFactor(
  deps: Pick<AccountDependencies, "handle" | "clock" | "config"> & { codeTries: RateLimit },
  { challenge, code }: SecondFactorRequest,
  origin: SignInOrigin,
): Promise<{ customer: Profile; token: string }> {
  const { db } = deps.handle;
  const now = deps.clock.now();
  const hash = hashChallenge(challenge);
  const customerId = await takeChallengeTry(db, hash, now);
  if (customerId === null) throw expired();
  await deps.codeTries.take(customerId);
  const result = await db.transaction().execute(async (tx) => {
    await lockCustomer(tx, customerId);
    const kind = await spendCode(tx, { customerId, code, now, keys: deps.config.secretKeys });
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
  await deps.codeTries.clear(customerId);
  return result;
}

function expired(): AppError {
  return new AppError("sign_in_expired");
}
