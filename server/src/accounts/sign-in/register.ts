import type { RegisterRequest } from "@farline/contract/accounts.ts";
import type { Language } from "@farline/contract/languages.ts";
import { uuidv7 } from "uuidv7";
import { AppError } from "../../platform/http/app-error.ts";
import type { AccountDependencies } from "../account-dependencies.ts";
import { emailIsTaken, insertCustomer, isEmailTakenError, type Customer } from "../accounts.store.ts";
import { hashPassword } from "../password/password-hash.ts";
import { mailboxMarks } from "../person-marks/person-marks.ts";
import { startSession, type SignInOrigin } from "../session/start-session.ts";
import { sendVerification } from "../email/verify-email.ts";

/**
 * Creates a customer with an account, a first session and a verification mail, in one transaction.
 * @throws AppError email_taken
 */
export async function register(
  deps: Pick<AccountDependencies, "handle" | "clock" | "ledger" | "config" | "passwordCost">,
  wanted: RegisterRequest & { language: Language },
  origin: SignInOrigin,
): Promise<{ customer: Customer; token: string }> {
  const { db } = deps.handle;
  if (await emailIsTaken(db, wanted.email)) throw emailTaken();
  const password = await hashPassword(deps.config.secretKeys, wanted.password, deps.passwordCost);
  const now = deps.clock.now();
  const { name, email, language } = wanted;
  const customer: Customer = { id: uuidv7(), name, email, status: "active", emailVerified: false, language, createdAt: now };
  try {
    const token = await db.transaction().execute(async (tx) => {
      await insertCustomer(tx, { ...customer, password, mailbox: mailboxMarks(deps.config.secretKeys, email) });
      await deps.ledger.openAccount(tx, customer.id);
      await sendVerification(tx, customer, now);
      return startSession(tx, customer.id, now, origin);
    });
    return { customer, token };
  } catch (error) {
    // The address was registered since we looked.
    if (isEmailTakenError(error)) throw emailTaken();
    throw error;
  }
}

export function emailTaken(reason: "email_taken" | "address_taken" = "email_taken"): AppError {
  return new AppError("email_taken", { reason, field: "email" });
}
