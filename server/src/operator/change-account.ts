import { findCustomerId, freezeCustomer, unfreezeCustomer } from "../accounts/accounts.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { LivePublisher } from "../live/live.ts";
import { AppError } from "../platform/app-error.ts";
import type { Clock } from "../platform/clock.ts";
import type { DatabaseHandle, Tx } from "../platform/database.ts";
import { recordOperation } from "./operations.store.ts";

interface OperatorWork {
  readonly handle: DatabaseHandle;
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly live: LivePublisher;
}

/** What an operator wants done to an account, and why. */
export interface AccountOrder {
  /** Id or mail address. */
  readonly customer: string;
  readonly reason: string;
  readonly operator: string;
}

/** Stops calls and payments. @returns false when it was frozen already. @throws AppError not_found */
export function freezeAccount(parts: OperatorWork, order: AccountOrder): Promise<boolean> {
  return onAccount(parts, order, "freeze", (tx, customerId, at) => freezeCustomer(tx, { customerId, reason: order.reason, at }));
}

/** Lets somebody call and pay again. @returns false when it was not frozen. @throws AppError not_found */
export function unfreezeAccount(parts: OperatorWork, order: AccountOrder): Promise<boolean> {
  return onAccount(parts, order, "unfreeze", (tx, customerId, at) =>
    unfreezeCustomer(tx, { customerId, reason: order.reason, at }),
  );
}

/** Gives up what a customer owes. @returns micro-dollars written off; 0n for nothing owed. @throws AppError not_found */
export function writeOffDebt(parts: OperatorWork, order: AccountOrder): Promise<bigint> {
  return onAccount(parts, order, "write_off", async (tx, customerId, at) => {
    const { debtMicros } = await parts.ledger.balance(tx, customerId);
    if (debtMicros > 0n)
      await parts.ledger.credit(tx, {
        key: `write-off:${customerId}:${at.getTime()}`,
        customerId,
        kind: "write_off",
        amountMicros: debtMicros,
        referenceId: null,
        description: "Debt written off",
      });
    return debtMicros;
  });
}

async function onAccount<Result>(
  parts: OperatorWork,
  order: AccountOrder,
  action: string,
  work: (tx: Tx, customerId: string, at: Date) => Promise<Result>,
): Promise<Result> {
  const customerId = await findCustomerId(parts.handle.db, order.customer);
  if (customerId === undefined) throw new AppError("not_found", `There is no customer ${order.customer}.`);
  const at = parts.clock.now();
  const result = await parts.handle.db.transaction().execute(async (tx) => {
    const done = await work(tx, customerId, at);
    await recordOperation(tx, { operator: order.operator, action, customerId, subject: null, reason: order.reason, at });
    return done;
  });
  parts.live.publish(customerId, { type: "account" });
  parts.live.publish(customerId, { type: "balance" });
  return result;
}
