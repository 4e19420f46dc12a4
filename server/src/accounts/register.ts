import type { RegisterRequest } from "@farline/contract/accounts.ts";
import { uuidv7 } from "uuidv7";
import { AppError } from "../platform/app-error.ts";
import type { AccountParts } from "./account-parts.ts";
import { emailIsTaken, insertCustomer, isEmailTakenError, type Customer } from "./accounts.store.ts";
import { hashPassword } from "./password-hash.ts";
import { isMadeOfOwnWords } from "./password-rules.ts";
import { startSession } from "./start-session.ts";

/** @throws AppError validation_failed when the passwords differ or the password says too much of its owner */
export function checkPassword(wanted: RegisterRequest): void {
  if (wanted.password !== wanted.password_confirmation)
    throw fieldError("validation_failed", "password_confirmation", "The two passwords are not the same.");
  if (isMadeOfOwnWords(wanted.password, wanted))
    throw fieldError("validation_failed", "password", "Use a password that is not made of your name or email address.");
}

/**
 * Creates a customer with an open account and a first session: all three or nothing.
 * @throws AppError email_taken
 */
export async function register(
  parts: Pick<AccountParts, "handle" | "clock" | "ledger">,
  wanted: RegisterRequest,
): Promise<{ customer: Customer; token: string }> {
  const { db } = parts.handle;
  if (await emailIsTaken(db, wanted.email)) throw emailTaken();
  const passwordHash = await hashPassword(wanted.password);
  const now = parts.clock.now();
  const { name, email } = wanted;
  const customer: Customer = { id: uuidv7(), name, email, status: "active", emailVerified: false, createdAt: now };
  try {
    const token = await db.transaction().execute(async (tx) => {
      await insertCustomer(tx, { ...customer, passwordHash });
      await parts.ledger.openAccount(tx, customer.id);
      return startSession(tx, customer.id, now);
    });
    return { customer, token };
  } catch (error) {
    // Somebody registered the same address since we looked.
    if (isEmailTakenError(error)) throw emailTaken();
    throw error;
  }
}

function emailTaken(): AppError {
  return fieldError("email_taken", "email", "There is an account with this email address already. Sign in instead.");
}

function fieldError(code: "validation_failed" | "email_taken", field: string, message: string): AppError {
  return new AppError(code, message, { fields: { [field]: [message] } });
}
