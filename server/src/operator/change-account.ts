import type { LockReason } from "@farline/contract/constants.ts";
import { findCustomerId, freezeCustomer, unfreezeCustomer } from "../accounts/accounts.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { LivePublisher } from "../live/live.ts";
import { AppError } from "../platform/http/app-error.ts";
import type { Clock } from "../platform/clock.ts";
import type { DatabaseHandle, Transaction } from "../platform/database/database.ts";
import { recordOperation } from "./operations.store.ts";
import { moveMoney, resultOf, type Moved } from "./second-operator.ts";

interface OperatorWork {
  readonly handle: DatabaseHandle;
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly live: LivePublisher;
}

/** An operator's order on an account, with the reason. */
export interface AccountOrder {
  /** Id or mail address. */
  readonly customer: string;
  readonly reason: string;
  readonly operator: string;
}

/**
 * Stops calls and payments.
 * @param order.because what the customer is told; the reason is for our records
 * @returns false when it was frozen already. @throws AppError not_found
 */
export function freezeAccount(deps: OperatorWork, order: AccountOrder & { because: LockReason }): Promise<boolean> {
  const { because, reason } = order;
  return onAccount(deps, order, "freeze", (tx, customerId, at) => freezeCustomer(tx, { customerId, because, reason, at }));
}

/** Allows calls and payments again. @returns false when it was not frozen. @throws AppError not_found */
export function unfreezeAccount(deps: OperatorWork, order: AccountOrder): Promise<boolean> {
  return onAccount(deps, order, "unfreeze", (tx, customerId, at) =>
    unfreezeCustomer(tx, { customerId, reason: order.reason, at }),
  );
}

/**
 * Writes off a customer's debt.
 * @param order.confirms a proposal of another operator to write off as much
 * @returns micro-dollars written off; 0n for nothing owed
 * @throws AppError not_found; conflict when a second operator is needed, or this one cannot confirm
 */
export async function writeOffDebt(deps: OperatorWork, order: AccountOrder & { confirms?: string }): Promise<bigint> {
  const { confirms = null, operator, reason } = order;
  const moved = await onCustomer(deps, order.customer, async (tx, customerId, at): Promise<Moved<bigint>> => {
    const { debtMicros } = await deps.ledger.balance(tx, customerId);
    if (debtMicros === 0n) return { proposal: null, result: 0n };
    const operation = { operator, action: "write_off", customerId, subject: null, amountMicros: debtMicros, reason, at } as const;
    return moveMoney(tx, operation, confirms, async () => {
      await deps.ledger.credit(tx, {
        key: `write-off:${customerId}:${at.getTime()}`,
        customerId,
        kind: "write_off",
        amountMicros: debtMicros,
        referenceId: null,
        description: "Debt written off",
      });
      return { result: debtMicros };
    });
  });
  return resultOf(moved);
}

function onAccount<Result>(
  deps: OperatorWork,
  { customer, operator, reason }: AccountOrder,
  action: string,
  run: (tx: Transaction, customerId: string, at: Date) => Promise<Result>,
): Promise<Result> {
  return onCustomer(deps, customer, async (tx, customerId, at) => {
    const done = await run(tx, customerId, at);
    await recordOperation(tx, { operator, action, customerId, subject: null, reason, at });
    return done;
  });
}

async function onCustomer<Result>(
  deps: OperatorWork,
  customer: string,
  run: (tx: Transaction, customerId: string, at: Date) => Promise<Result>,
): Promise<Result> {
  const customerId = await findCustomerId(deps.handle.db, customer);
  if (customerId === undefined) throw new AppError("not_found", { reason: "operator.no_customer", params: { customer } });
  const at = deps.clock.now();
  const result = await deps.handle.db.transaction().execute((tx) => run(tx, customerId, at));
  deps.live.publish(customerId, { type: "account" });
  deps.live.publish(customerId, { type: "balance" });
  return result;
}
