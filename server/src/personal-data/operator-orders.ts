import { findCustomer, findCustomerId } from "../accounts/accounts.ts";
import { AppError } from "../platform/app-error.ts";
import { obstacleOfRequest } from "./erasure/decide-obstacle.ts";
import { cancelErasure, readClosingAccount, REFUSALS, requestErasure } from "./erasure/request-erasure.ts";
import { readExport, requestExport } from "./export/request-export.ts";
import type { Context, OperatorContext } from "../context.ts";

/** An operator's command about a customer's data, with the reason. */
interface DataOrder {
  /** Id or email address. */
  readonly customer: string;
  readonly reason: string;
}

/**
 * Prepares a copy for a customer. Only the customer gets its link.
 * @returns the email address, and whether a new copy was started (not while one is being prepared)
 * @throws AppError not_found
 */
export async function requestExportOf(
  ctx: OperatorContext,
  order: DataOrder & { readonly dryRun: boolean },
): Promise<{ email: string; started: boolean }> {
  const customer = await customerNamed(ctx, order.customer);
  const started = (await readExport(ctx, customer.id))?.state !== "preparing";
  if (started && !order.dryRun) await requestExport(ctx, customer, { limit: null, reason: order.reason });
  return { email: customer.email, started };
}

/** What an erasure would forfeit, and what blocks it. @throws AppError not_found */
export async function readClosingAccountOf(
  ctx: Context,
  named: string,
): Promise<{ email: string; lostMicros: bigint; obstacle: string | null; closesAt: Date | null }> {
  const customer = await customerNamed(ctx, named);
  const account = await readClosingAccount(ctx, customer.id);
  const obstacle = obstacleOfRequest(account);
  const lostMicros = account.balanceMicros - account.withdrawableMicros;
  return {
    email: customer.email,
    lostMicros,
    obstacle: obstacle === null ? null : REFUSALS[obstacle],
    closesAt: customer.closesAt,
  };
}

/** Closes an account for its erasure, as its owner could. @throws AppError not_found, erasure_blocked */
export async function requestErasureOf(ctx: OperatorContext, order: DataOrder): Promise<{ eraseAt: Date }> {
  const customer = await customerNamed(ctx, order.customer);
  return requestErasure(ctx, { customerId: customer.id, forfeitedMicros: null, from: null, reason: order.reason });
}

/** Cancels an erasure. @throws AppError not_found, conflict */
export async function cancelErasureOf(ctx: OperatorContext, order: DataOrder): Promise<void> {
  const customer = await customerNamed(ctx, order.customer);
  await cancelErasure(ctx, { customerId: customer.id, from: null, reason: order.reason });
}

type NamedCustomer = NonNullable<Awaited<ReturnType<typeof findCustomer>>>;

async function customerNamed({ handle }: Context, named: string): Promise<NamedCustomer> {
  const id = await findCustomerId(handle.db, named);
  const customer = id === undefined ? undefined : await findCustomer(handle.db, id);
  if (customer === undefined) throw new AppError("not_found", { reason: "operator.no_customer", params: { customer: named } });
  return customer;
}
