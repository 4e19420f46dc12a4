import { AppError } from "../platform/app-error.ts";
import type { Customer } from "./record/customer.store.ts";

/**
 * Refuses calls and payments of accounts that are frozen or closing.
 * @param whenFrozen the text that says what a frozen account cannot do
 * @throws AppError account_frozen, account_closing
 */
export function requireOpen(
  { status }: Pick<Customer, "status">,
  whenFrozen: "account_frozen" | "calls_while_frozen" = "account_frozen",
): void {
  if (status === "frozen") throw new AppError("account_frozen", { reason: whenFrozen });
  if (status === "closing") throw new AppError("account_closing");
}
