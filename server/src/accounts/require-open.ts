import { AppError } from "../platform/http/app-error.ts";
import type { Customer } from "./accounts.store.ts";

const FROZEN = "Your account is frozen. Contact support.";
const CLOSING = "Your account is closing. Choose Keep my account first.";

/**
 * Refuses calls and payments of accounts that are frozen or closing.
 * @param frozenText says what a frozen account cannot do
 * @throws AppError account_frozen, account_closing
 */
export function requireOpen({ status }: Pick<Customer, "status">, frozenText = FROZEN): void {
  if (status === "frozen") throw new AppError("account_frozen", frozenText);
  if (status === "closing") throw new AppError("account_closing", CLOSING);
}
