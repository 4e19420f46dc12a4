import { AppError } from "../platform/http/app-error.ts";
import type { Customer } from "./accounts.store.ts";

const LOCKED = "Your account is locked. Contact us.";
const CLOSING = "Your account is closing. Choose Keep my account first.";

/**
 * Refuses calls and payments of accounts that are frozen or closing.
 * @param lockedText says what a locked account cannot do
 * @throws AppError account_frozen, account_closing
 */
export function requireOpen({ status }: Pick<Customer, "status">, lockedText = LOCKED): void {
  if (status === "frozen") throw new AppError("account_frozen", lockedText);
  if (status === "closing") throw new AppError("account_closing", CLOSING);
}
