import type { CallerIdResponse } from "@farline/contract/caller-id.ts";
import { insertSecurityEvent, type Customer, type requestOrigin } from "../../accounts/accounts.ts";
import { AppError } from "../../platform/http/app-error.ts";
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

/** Sets the number that calls show; null for the service's. @throws AppError not_found when it is not proven */
export async function chooseCallerId(context: CallContext, customer: Customer, number: string | null): Promise<CallerIdResponse> {
  const isChosen = await context.handle.db.transaction().execute((tx) => chooseNumber(tx, customer.id, number));
  if (!isChosen) throw new AppError("not_found", { reason: "caller_number_unproven" });
  context.live.publish(customer.id, { type: "caller_id" });
  return readCallerId(context, customer);
}

/** Removes a number from the account and the voice provider. @throws AppError not_found when the account has no such number */
export async function removeCallerNumber(
  context: CallContext,
  customer: Customer,
  number: string,
  from: ReturnType<typeof requestOrigin>,
): Promise<CallerIdResponse> {
  const at = context.clock.now();
  await context.handle.db.transaction().execute(async (tx) => {
    const owner = await removeNumber(tx, { number, customerId: customer.id, at });
    if (owner === undefined) throw new AppError("not_found", { reason: "caller_number_unknown" });
    await insertSecurityEvent(tx, { customerId: customer.id, kind: "caller_number_removed", detail: number, from, at });
  });
  context.live.publish(customer.id, { type: "caller_id" });
  return readCallerId(context, customer);
}

/** The job that removes numbers from the provider, lets old proofs lapse and deletes expired checks. */
export async function cleanCallerNumbers(context: CallContext, signal: AbortSignal): Promise<void> {
  const { db } = context.handle;
  const now = context.clock.now();
  await deleteExpiredChecks(db, now);
  for (const customerId of await lapseOldNumbers(db, new Date(now.getTime() - PROOF_LIFE_MS), now))
    context.live.publish(customerId, { type: "caller_id" });
  for (const number of await listRemovals(db, MAX_REMOVALS)) {
    if (signal.aborted) return;
    if (await context.numbers.forget(number)) await deleteRemoval(db, number);
  }
}
