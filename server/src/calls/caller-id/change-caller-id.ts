import type { CallerIdResponse } from "@farline/contract/caller-id.ts";
import {
  insertSecurityEvent,
  lockSession,
  type Customer,
  type requestOrigin,
  type SessionWithCustomer,
} from "../../accounts/accounts.ts";
import { AppError } from "../../platform/app-error.ts";
import type { CallContext } from "../call-context.ts";
import { MAX_REMOVALS, PROOF_LIFE_MS } from "./caller-id-limits.ts";
import {
  chooseNumber,
  deleteExpiredChecks,
  deleteRemoval,
  lapseOldNumbers,
  listRemovals,
  removeNumber,
} from "./caller-number.store.ts";
import { readCallerId } from "./read-caller-id.ts";

/** Sets the number that calls show; null for the service's. @throws AppError not_found if it is not verified */
export async function chooseCallerId(
  ctx: CallContext,
  customer: SessionWithCustomer,
  number: string | null,
): Promise<CallerIdResponse> {
  const isChosen = await ctx.transaction(async (tx) => {
    await lockSession(tx, customer);
    return chooseNumber(tx, customer.id, number);
  });
  if (!isChosen) throw new AppError("not_found", { reason: "caller_number_unproven" });
  ctx.live.publish(customer.id, { type: "caller_id" });
  return readCallerId(ctx, customer);
}

/** Removes a number from the account and the voice provider. @throws AppError not_found if the account has no such number */
export async function removeCallerNumber(
  ctx: CallContext,
  customer: Customer,
  number: string,
  from: ReturnType<typeof requestOrigin>,
): Promise<CallerIdResponse> {
  const at = ctx.clock.now();
  await ctx.transaction(async (tx) => {
    const owner = await removeNumber(tx, { number, customerId: customer.id, at });
    if (owner === undefined) throw new AppError("not_found", { reason: "caller_number_unknown" });
    await insertSecurityEvent(tx, { customerId: customer.id, kind: "caller_number_removed", detail: number, from, at });
  });
  ctx.live.publish(customer.id, { type: "caller_id" });
  return readCallerId(ctx, customer);
}

/** Job: removes numbers from the provider, lapses old proofs and deletes expired checks. */
export async function cleanCallerNumbers(ctx: CallContext, signal: AbortSignal): Promise<void> {
  const { db } = ctx.handle;
  const now = ctx.clock.now();
  await deleteExpiredChecks(db, now, signal);
  for (const customerId of await lapseOldNumbers(db, new Date(now.getTime() - PROOF_LIFE_MS), now))
    ctx.live.publish(customerId, { type: "caller_id" });
  for (const number of await listRemovals(db, MAX_REMOVALS)) {
    if (signal.aborted) return;
    if (await ctx.numbers.forget(number)) await deleteRemoval(db, number);
  }
}
