import type { ClosingAccountResponse } from "@farline/contract/operator/business.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { findCustomer, findCustomerId } from "../accounts/accounts.ts";
import { AppError } from "../platform/app-error.ts";
import { obstacleOfRequest } from "./erasure/decide-obstacle.ts";
import { cancelErasure, readClosingAccount, REFUSALS, requestErasure } from "./erasure/request-erasure.ts";
import { readExport, requestExport } from "./export/request-export.ts";
import type { Context } from "../context.ts";
import type { Verb } from "../operator/operator.ts";

/** What an erasure would forfeit, and what blocks it. @throws AppError not_found */
export async function readClosingAccountOf(ctx: Context, named: string): Promise<ClosingAccountResponse> {
  const customer = await customerNamed(ctx, named);
  const account = await readClosingAccount(ctx, customer.id);
  const obstacle = obstacleOfRequest(account);
  return {
    email: customer.email,
    lost: toDecimalString(account.balanceMicros - account.withdrawableMicros),
    obstacle: obstacle === null ? null : new AppError("erasure_blocked", { reason: REFUSALS[obstacle] }).message,
    closes_at: customer.closesAt?.toISOString() ?? null,
  };
}

/** Prepares a copy for a customer. Only the customer gets its link. False while one is being prepared. */
const exportAccount: Verb<"export-account", boolean> = {
  order: async (ctx, { customer: named, reason }) => {
    const customer = await customerNamed(ctx, named);
    if ((await readExport(ctx, customer.id))?.state === "preparing") return false;
    await requestExport(ctx, customer, { limit: null, reason });
    return true;
  },
  respond: ({ result }) => ({ changed: result === true }),
};

/** Closes an account for its erasure, as its owner could. */
const eraseAccount: Verb<"erase-account", Date> = {
  order: async (ctx, { customer: named, reason }) => {
    const customer = await customerNamed(ctx, named);
    const order = { customerId: customer.id, forfeitedMicros: null, from: null, reason };
    return (await requestErasure(ctx, order)).eraseAt;
  },
  respond: ({ result }) => ({ erase_at: (result as Date).toISOString() }),
};

/** Calls an erasure off. */
const keepAccount: Verb<"keep-account", void> = {
  order: async (ctx, { customer: named, reason }) => {
    const customer = await customerNamed(ctx, named);
    await cancelErasure(ctx, { customerId: customer.id, from: null, reason });
  },
  respond: () => undefined,
};

export const personalDataVerbs = {
  "export-account": exportAccount,
  "erase-account": eraseAccount,
  "keep-account": keepAccount,
};

type NamedCustomer = NonNullable<Awaited<ReturnType<typeof findCustomer>>>;

async function customerNamed({ handle }: Context, named: string): Promise<NamedCustomer> {
  const id = await findCustomerId(handle.db, named);
  const customer = id === undefined ? undefined : await findCustomer(handle.db, id);
  if (customer === undefined) throw new AppError("not_found", { reason: "operator.no_customer", params: { customer: named } });
  return customer;
}
