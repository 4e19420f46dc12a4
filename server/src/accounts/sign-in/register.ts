import type { RegisterRequest } from "@farline/contract/accounts.ts";
import type { Language } from "@farline/contract/languages.ts";
import { uuidv7 } from "uuidv7";
import { emailIsTaken, insertCustomer, isEmailTakenError, type Customer } from "../record/customer.store.ts";
import { hashPassword } from "../credentials/password-hash.ts";
import { mailboxHashes } from "../identity-hashes/identity-hashes.ts";
import { startSession, type SignInOrigin } from "../session/start-session.ts";
import { sendVerification } from "../email/verify-email.ts";
import { emailTaken } from "../email/email-taken.ts";
import type { AccountContext } from "../account-context.ts";

/**
 * Creates a customer with an account, a first session and a verification mail, in one transaction.
 * @throws AppError email_taken
 */
export async function register(
  ctx: AccountContext,
  wanted: RegisterRequest & { language: Language },
  origin: SignInOrigin,
): Promise<{ customer: Customer; token: string; linkMailed: boolean }> {
  if (await emailIsTaken(ctx.handle.db, wanted.email)) throw emailTaken();
  const password = await hashPassword(ctx.config.secretKeys, wanted.password, ctx.costs.password);
  const now = ctx.clock.now();
  const { name, email, language } = wanted;
  const customer: Customer = {
    id: uuidv7(),
    name,
    email,
    status: "active",
    emailVerified: false,
    language,
    createdAt: now,
    payerId: null,
  };
  try {
    return await ctx.transaction(async (tx) => {
      await insertCustomer(tx, { ...customer, password, mailbox: mailboxHashes(ctx.config.secretKeys, email) });
      await ctx.ledger.openAccount(tx, customer.id);
      const { going: linkMailed } = await sendVerification(tx, customer, now);
      return { customer, token: await startSession(tx, customer.id, now, origin), linkMailed };
    });
  } catch (error) {
    // The address was registered since we looked.
    if (isEmailTakenError(error)) throw emailTaken();
    throw error;
  }
}
