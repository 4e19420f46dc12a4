import { AppError } from "../platform/http/app-error.ts";
import type { Clock } from "../platform/clock.ts";
import type { AccountLimits } from "./account-limits.ts";
import type { AccountDependencies } from "./account-dependencies.ts";
import { findPassword } from "./accounts.store.ts";
import { verifyPassword } from "./password/password-hash.ts";
import { usesAuthenticator } from "./second-factor/authenticator.store.ts";
import { codeWrong, spendCode } from "./second-factor/check-code.ts";
import { confirmSession, type SessionWithCustomer } from "./session/session.store.ts";

const GOOD_FOR_MS = 10 * 60 * 1000;

/**
 * Guards actions that a stolen session must not perform: requires a full sign-in or re-authentication within `goodForMs`, by default
 * the last ten minutes.
 * @throws AppError reauth_required
 */
export function requireRecentSignIn(
  deps: { clock: Clock },
  session: Pick<SessionWithCustomer, "authenticatedAt">,
  goodForMs = GOOD_FOR_MS,
): void {
  if (deps.clock.now().getTime() - session.authenticatedAt.getTime() < goodForMs) return;
  throw new AppError("reauth_required");
}

/** Credentials that prove that the session's user owns the account. */
export interface OwnerProof {
  readonly password: string | undefined;
  /** Authenticator code or recovery code. */
  readonly code?: string | undefined;
}

type Dependencies = Pick<AccountDependencies, "handle" | "clock" | "config" | "passwordCost"> & {
  limits: Pick<AccountLimits, "ownPassword" | "codeTries">;
};

/**
 * Makes sure that the session's user is the owner: by a recent sign-in, or by everything a sign-in needs, which then holds for
 * ten minutes. A given password is always checked. Where sign-in needs a code, a password alone proves nothing.
 * @throws AppError credentials_wrong at the field current_password, code_wrong, reauth_required, rate_limited
 */
export async function proveOwner(deps: Dependencies, session: SessionWithCustomer, proof: OwnerProof): Promise<void> {
  const { db } = deps.handle;
  if (proof.password === undefined) return requireRecentSignIn(deps, session);
  await checkOwnPassword(deps, session, proof.password);
  if (await usesAuthenticator(db, session.id)) {
    if (proof.code === undefined) return requireRecentSignIn(deps, session);
    await checkOwnCode(deps, session, proof.code);
  }
  await deps.limits.ownPassword.clear(session.id);
  await confirmSession(db, session.sessionId, deps.clock.now());
}

/** As `proveOwner`, but a recent sign-in is not enough. @throws AppError validation_failed at the field code */
export async function proveOwnerAgain(deps: Dependencies, session: SessionWithCustomer, proof: OwnerProof): Promise<void> {
  if (proof.code === undefined && (await usesAuthenticator(deps.handle.db, session.id)))
    throw new AppError("validation_failed", { reason: "second_factor_code_needed", field: "code" });
  await proveOwner(deps, session, proof);
}

async function checkOwnPassword(deps: Dependencies, session: SessionWithCustomer, password: string): Promise<void> {
  await deps.limits.ownPassword.take(session.id);
  const stored = await findPassword(deps.handle.db, session.id);
  const { right } = await verifyPassword(deps.config.secretKeys, password, stored, deps.passwordCost);
  if (!right) throw new AppError("credentials_wrong", { reason: "current_password_wrong", field: "current_password" });
}

async function checkOwnCode(deps: Dependencies, session: SessionWithCustomer, code: string): Promise<void> {
  const { handle, clock, config, limits } = deps;
  await limits.codeTries.take(session.id);
  const wanted = { customerId: session.id, code, now: clock.now(), keys: config.secretKeys };
  const kind = await handle.db.transaction().execute((tx) => spendCode(tx, wanted));
  if (kind === null) throw codeWrong();
  await limits.codeTries.clear(session.id);
}
