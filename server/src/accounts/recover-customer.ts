import type { Transaction } from "../platform/database/database.ts";
import { emailIsTaken, insertCustomer } from "./record/customer.store.ts";
import type { Context } from "../context.ts";

const NAME_LENGTH = 120;

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
