import type { LoginRequest } from "@farline/contract/accounts.ts";
import { AppError } from "../../platform/app-error.ts";
import { findByEmail, storePassword, type Profile, type StoredPassword } from "../record/customer.store.ts";
import { hashPassword, verifyPassword } from "../credentials/password-hash.ts";
import type { AccountContext } from "../account-context.ts";

/**
 * Checks an address and a password. An unknown address and a wrong password get the same response in the same
 * time.
 * @throws AppError credentials_wrong
 */
export async function checkCredentials(ctx: AccountContext, { email, password }: LoginRequest): Promise<Profile> {
  const found = await findByEmail(ctx.handle.db, email);
  const { right, stale } = await verifyPassword(ctx.config.secretKeys, password, found?.password ?? null, ctx.costs.password);
  if (found === undefined || !right) throw credentialsWrong();
  const { password: stored, ...profile } = found;
  if (stale && stored !== null) await rehashPassword(ctx, { customerId: profile.id, password, stored });
  return profile;
}

/** The refusal for an unknown address, a wrong password, and a password changed during the request. */
export function credentialsWrong(): AppError {
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
