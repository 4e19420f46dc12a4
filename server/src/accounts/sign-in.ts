import type { LoginRequest } from "@farline/contract/accounts.ts";
import { AppError } from "../platform/app-error.ts";
import type { AccountParts } from "./account-parts.ts";
import { findByEmail, type Customer } from "./accounts.store.ts";
import { verifyPassword } from "./password-hash.ts";
import { startSession } from "./start-session.ts";

/**
 * Signs a customer in. An unknown address and a wrong password are answered alike, in words and in time.
 * @throws AppError credentials_wrong
 */
export async function signIn(
  parts: Pick<AccountParts, "handle" | "clock">,
  { email, password }: LoginRequest,
): Promise<{ customer: Customer; token: string }> {
  const { db } = parts.handle;
  const found = await findByEmail(db, email);
  const right = await verifyPassword(password, found?.passwordHash ?? null);
  if (found === undefined || !right) throw new AppError("credentials_wrong", "The email address or password is wrong.");
  const { passwordHash: _, ...customer } = found;
  const token = await db.transaction().execute((tx) => startSession(tx, customer.id, parts.clock.now()));
  return { customer, token };
}
