import { AppError } from "../platform/app-error.ts";
import type { Clock } from "../platform/clock.ts";
import type { AccountLimits } from "./account-limits.ts";
import type { AccountParts } from "./account-parts.ts";
import { findPassword } from "./accounts.store.ts";
import { verifyPassword } from "./password-hash.ts";
import { confirmSession, type SessionWithCustomer } from "./session.store.ts";

const GOOD_FOR_MS = 10 * 60 * 1000;

/**
 * For what a stolen or borrowed session must not do: the person has signed in, or entered the password again, within the
 * last ten minutes.
 * @throws AppError reauth_required
 */
export function requireRecentSignIn(parts: { clock: Clock }, session: Pick<SessionWithCustomer, "authenticatedAt">): void {
  if (parts.clock.now().getTime() - session.authenticatedAt.getTime() < GOOD_FOR_MS) return;
  throw new AppError("reauth_required", "To be safe, enter your password again or sign in again.");
}

/**
 * Makes sure that the owner is at the session: by the present password when it is given (it is good for ten minutes then),
 * else by a recent sign-in.
 * @throws AppError credentials_wrong at the field current_password, reauth_required, rate_limited
 */
export async function proveOwner(
  parts: Pick<AccountParts, "handle" | "clock" | "config"> & { limits: Pick<AccountLimits, "ownPassword"> },
  session: SessionWithCustomer,
  presentPassword: string | undefined,
): Promise<void> {
  if (presentPassword === undefined) return requireRecentSignIn(parts, session);
  const { db } = parts.handle;
  await parts.limits.ownPassword.take(session.id);
  const { right } = await verifyPassword(parts.config.secretKeys, presentPassword, await findPassword(db, session.id));
  if (!right) {
    const message = "Your present password is not right.";
    throw new AppError("credentials_wrong", message, { fields: { current_password: [message] } });
  }
  await parts.limits.ownPassword.clear(session.id);
  await confirmSession(db, session.sessionId, parts.clock.now());
}
