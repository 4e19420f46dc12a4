import type { RequestOrigin } from "../record/request-origin.ts";
import { AppError } from "../../platform/app-error.ts";
import { findPassword } from "../record/customer.store.ts";
import { verifyPassword } from "../credentials/password-hash.ts";
import { usesAuthenticator } from "../record/second-factor.store.ts";
import { codeWrong, consumeCode } from "../credentials/check-code.ts";
import { confirmSession, type SessionWithCustomer } from "./session.store.ts";
import type { AccountContext } from "../account-context.ts";
import type { Context } from "../../context.ts";

const GOOD_FOR_MS = 10 * 60 * 1000;

/**
 * Guards actions that a stolen session must not perform: requires a full sign-in or re-authentication within `goodForMs`, ten
 * minutes by default.
 * @throws AppError reauth_required
 */
export function requireRecentSignIn(
  { clock }: Context,
  session: Pick<SessionWithCustomer, "authenticatedAt">,
  goodForMs = GOOD_FOR_MS,
): void {
  if (clock.now().getTime() - session.authenticatedAt.getTime() < goodForMs) return;
  throw new AppError("reauth_required");
}

/** Credentials that prove that the session's user owns the account. */
interface OwnerProof {
  readonly password: string | undefined;
  /** Authenticator code or recovery code. */
  readonly code?: string | undefined;
  readonly from: RequestOrigin;
}

/**
 * Verifies that the session's user is the account's owner: by a recent sign-in, or by the same credentials as a sign-in, which
 * then counts for ten minutes. A given password is always checked. If sign-in needs a code, a password alone is not enough.
 * @throws AppError credentials_wrong at the field current_password, code_wrong, reauth_required, rate_limited
 */
export async function proveOwner(ctx: AccountContext, session: SessionWithCustomer, proof: OwnerProof): Promise<void> {
  const { db } = ctx.handle;
  if (proof.password === undefined) return requireRecentSignIn(ctx, session);
  await checkOwnPassword(ctx, session, proof.password);
  if (await usesAuthenticator(db, session.id)) {
    if (proof.code === undefined) return requireRecentSignIn(ctx, session);
    await checkOwnCode(ctx, session, { code: proof.code, from: proof.from });
  }
  await ctx.limits.ownPassword.clear(session.sessionId);
  await confirmSession(db, session.sessionId, ctx.clock.now());
}

/** Like `proveOwner`, but a recent sign-in is not enough. @throws AppError validation_failed at the field code */
export async function proveOwnerAgain(ctx: AccountContext, session: SessionWithCustomer, proof: OwnerProof): Promise<void> {
  if (proof.code === undefined && (await usesAuthenticator(ctx.handle.db, session.id)))
    throw new AppError("validation_failed", { reason: "second_factor_code_needed", field: "code" });
  await proveOwner(ctx, session, proof);
}

async function checkOwnPassword(ctx: AccountContext, session: SessionWithCustomer, password: string): Promise<void> {
  // By session, so that a thief's attempts in one do not lock the owner out in another.
  await ctx.limits.ownPassword.take(session.sessionId);
  const stored = await findPassword(ctx.handle.db, session.id);
  const { right } = await verifyPassword(ctx.config.secretKeys, password, stored, ctx.costs.password);
  if (!right) throw new AppError("credentials_wrong", { reason: "current_password_wrong", field: "current_password" });
}

async function checkOwnCode(
  ctx: AccountContext,
  session: SessionWithCustomer,
  typed: { readonly code: string; readonly from: OwnerProof["from"] },
): Promise<void> {
  const { clock, config, limits } = ctx;
  const who = `session ${session.sessionId}`;
  await limits.codeTries.take(who);
  const given = { customer: session, ...typed, now: clock.now() };
  if (!(await ctx.transaction((tx) => consumeCode(tx, config.secretKeys, given)))) throw codeWrong();
  await limits.codeTries.clear(who);
}
