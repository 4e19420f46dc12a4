import { findCustomer, findCustomerId } from "../accounts/accounts.ts";
import { recordOperation } from "../operator/operator.ts";
import { AppError } from "../platform/http/app-error.ts";
import type { Tx } from "../platform/database/database.ts";
import { obstacleOfRequest } from "./erasure/decide-obstacle.ts";
import { keepAccount, readLeavingAccount, REFUSALS, requestErasure } from "./erasure/request-erasure.ts";
import { readExport, requestExport } from "./export/request-export.ts";
import type { PersonalDataDependencies } from "./personal-data-dependencies.ts";

type OperatorWork = Pick<PersonalDataDependencies, "handle" | "clock" | "ledger" | "live">;

/** An operator's order on an account's data, with the reason. */
export interface DataOrder {
  /** Id or mail address. */
  readonly customer: string;
  readonly reason: string;
  readonly operator: string;
}

/**
 * Prepares a copy for a customer, whose link goes to the customer alone.
 * @returns the address, and whether a new copy is started: not while one is being prepared
 * @throws AppError not_found
 */
export async function requestExportOf(
  deps: OperatorWork,
  order: DataOrder & { readonly dryRun: boolean },
): Promise<{ email: string; started: boolean }> {
  const customer = await customerNamed(deps, order.customer);
  const started = (await readExport(deps, customer.id))?.state !== "preparing";
  if (started && !order.dryRun) {
    await requestExport(deps, customer, null, recordOf(deps, customer, order, "export-account"));
  }
  return { email: customer.email, started };
}

/** What an erasure would take, and what refuses it. @throws AppError not_found */
export async function readLeavingOf(
  deps: OperatorWork,
  named: string,
): Promise<{ email: string; lostMicros: bigint; obstacle: string | null; closesAt: Date | null }> {
  const customer = await customerNamed(deps, named);
  const account = await readLeavingAccount(deps, customer.id);
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
export async function requestErasureOf(deps: OperatorWork, order: DataOrder): Promise<{ eraseAt: Date }> {
  const customer = await customerNamed(deps, order.customer);
  const record = recordOf(deps, customer, order, "erase-account");
  return requestErasure(deps, { customerId: customer.id, givesUpMicros: null, operator: order.operator, from: null, record });
}

/** Calls an erasure off. @throws AppError not_found, conflict */
export async function keepAccountOf(deps: OperatorWork, order: DataOrder): Promise<void> {
  const customer = await customerNamed(deps, order.customer);
  await keepAccount(deps, { customerId: customer.id, from: null, record: recordOf(deps, customer, order, "keep-account") });
}

type NamedCustomer = NonNullable<Awaited<ReturnType<typeof findCustomer>>>;

async function customerNamed({ handle }: OperatorWork, named: string): Promise<NamedCustomer> {
  const id = await findCustomerId(handle.db, named);
  const customer = id === undefined ? undefined : await findCustomer(handle.db, id);
  if (customer === undefined) throw new AppError("not_found", { reason: "operator.no_customer", params: { customer: named } });
  return customer;
}

function recordOf(deps: OperatorWork, { id }: NamedCustomer, { operator, reason }: DataOrder, action: string) {
  return (tx: Tx): Promise<void> =>
    recordOperation(tx, { operator, action, customerId: id, subject: null, reason, at: deps.clock.now() });
}
