import { NUMBERS_KEPT_MONTHS } from "@farline/contract/constants.ts";
import type { ClosingAccountResponse } from "@farline/contract/operator/business.ts";
import { formatDollars } from "@farline/domain/money.ts";
import type { Job } from "../platform/jobs/jobs.ts";
import { prepareExports } from "./export/prepare-exports.ts";
import { eraseAccounts } from "./erasure/erase-accounts.ts";
import type { Context } from "../context.ts";
import { shortenOldCalls } from "./erasure/erasure.store.ts";
import { findCustomer, findCustomerId } from "../accounts/accounts.ts";
import { AppError } from "../platform/app-error.ts";
import { obstacleOfRequest } from "./erasure/decide-obstacle.ts";
import { cancelErasure, readClosingAccount, REFUSALS, requestErasure } from "./erasure/request-erasure.ts";
import { readExport, requestExport } from "./export/request-export.ts";
import type { Verb } from "../operator/operator.ts";

export { endExports } from "./export/request-export.ts";

export { personalDataRoutes } from "./personal-data-routes.ts";

const MAX_BATCHES_PER_RUN = 200;

const PREPARE_EVERY_MS = 5_000;

const ERASE_EVERY_MS = 60_000;

const SHORTEN_EVERY_MS = 6 * 60 * 60 * 1000;

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

/** Prepares requested copies, erases accounts that are due, and shortens old phone numbers. */
export function personalDataJobs(ctx: Context): Job[] {
  return [
    { name: "prepare-exports", everyMs: PREPARE_EVERY_MS, run: (signal) => prepareExports(ctx, signal) },
    { name: "erase-accounts", everyMs: ERASE_EVERY_MS, run: (signal) => eraseAccounts(ctx, signal) },
    { name: "shorten-numbers", everyMs: SHORTEN_EVERY_MS, run: (signal) => shortenNumbers(ctx, signal) },
  ];
}

/** The job that shortens the numbers of old calls once their charges can no longer be disputed. */
export async function shortenNumbers({ handle, clock }: Context, signal: AbortSignal): Promise<void> {
  const before = clock.now();
  before.setUTCMonth(before.getUTCMonth() - NUMBERS_KEPT_MONTHS);
  for (let batch = 0; batch < MAX_BATCHES_PER_RUN && !signal.aborted; batch++)
    if (!(await shortenOldCalls(handle.db, before))) return;
}

/** What an erasure would forfeit, and what blocks it. @throws AppError not_found */
export async function readClosingAccountOf(ctx: Context, named: string): Promise<ClosingAccountResponse> {
  const customer = await customerNamed(ctx, named);
  const account = await readClosingAccount(ctx, customer.id);
  const obstacle = obstacleOfRequest(account);
  return {
    email: customer.email,
    lost: formatDollars(account.balanceMicros - account.withdrawableMicros),
    obstacle: obstacle === null ? null : new AppError("erasure_blocked", { reason: REFUSALS[obstacle] }).message,
    closes_at: customer.closesAt?.toISOString() ?? null,
  };
}

async function customerNamed({ handle }: Context, named: string): Promise<NamedCustomer> {
  const id = await findCustomerId(handle.db, named);
  const customer = id === undefined ? undefined : await findCustomer(handle.db, id);
  if (customer === undefined) throw new AppError("not_found", { reason: "operator.no_customer", params: { customer: named } });
  return customer;
}
