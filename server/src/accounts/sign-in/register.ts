import type { RegisterRequest } from "@farline/contract/accounts.ts";
import type { Language } from "@farline/contract/languages.ts";
import { uuidv7 } from "uuidv7";
import {
  emailIsTaken,
  insertCustomer,
  isEmailTakenError,
  emailTaken,
  newProfile,
  type Profile,
} from "../record/customer.store.ts";
import { hashPassword } from "../credentials/password-hash.ts";
import { mailboxHashes } from "../identity-hashes/identity-hashes.ts";
import { startSession, type SignInOrigin } from "../session/start-session.ts";
import { sendVerification } from "../email/verify-email.ts";
import type { AccountContext } from "../account-context.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Context } from "../../context.ts";

const NAME_LENGTH = 120;

/**
 * Creates a customer with an account, a first session and a verification mail, in one transaction.
 * @throws AppError email_taken
 */
export async function register(
  ctx: AccountContext,
  wanted: RegisterRequest & { language: Language },
  origin: SignInOrigin,
): Promise<{ customer: Profile; token: string }> {
  if (await emailIsTaken(ctx.handle.db, wanted.email)) throw emailTaken();
  const password = await hashPassword(ctx.config.secretKeys, wanted.password, ctx.costs.password);
  const now = ctx.clock.now();
  const { name, email, language } = wanted;
  const facts = { id: uuidv7(), name, email, emailVerified: false, language, createdAt: now };
  const customer = newProfile({ ...facts, hasPassword: true });
  try {
    return await ctx.transaction(async (tx) => {
      await insertCustomer(tx, { ...customer, password, mailbox: mailboxHashes(ctx.config.secretKeys, email) });
      await ctx.ledger.openAccount(tx, customer.id);
      const { sessionId, token } = await startSession(tx, customer.id, now, origin);
      const { going: linkMailed } = await sendVerification(tx, customer, { now, sessionId });
      return { customer: { ...customer, linkMailed }, token };
    });
  } catch (error) {
    // The address was registered since we looked.
    if (isEmailTakenError(error)) throw emailTaken();
    throw error;
  }
}

/**
 * Writes the account of a customer again who registered after the back-up from which the database was restored. It has no password: its
 * owner sets a new one by mail, which also proves the address. The name is a placeholder that they can change.
 * @returns false if the address now belongs to another account
 */
export async function recoverCustomer(
  tx: Transaction,
  ctx: Context,
  { id, email, createdAt }: { id: string; email: string; createdAt: Date },
): Promise<boolean> {
  if (await emailIsTaken(tx, email)) return false;
  const name = email.replace(/@.*$/, "").slice(0, NAME_LENGTH);
  await insertCustomer(tx, {
    id,
    name,
    email,
    emailVerified: false,
    language: "en",
    createdAt,
    password: null,
    mailbox: [],
  });
  await ctx.ledger.openAccount(tx, id);
  ctx.log.warn({ customer: id }, "forgotten account recovered");
  return true;
}
