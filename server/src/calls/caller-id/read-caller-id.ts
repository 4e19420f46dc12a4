import type { CallerIdResponse } from "@farline/contract/caller-id.ts";
import type { Customer } from "../../accounts/accounts.ts";
import { CODE_TRIES, MAX_CALLER_NUMBERS } from "./caller-id-limits.ts";
import { findCheck, findChosenNumber, listCallerNumbers } from "./caller-number.store.ts";
import type { ServiceContext } from "../../context.ts";

/** The number that a customer's calls show, and the others to choose from. */
export async function readCallerId(ctx: ServiceContext, customer: Customer): Promise<CallerIdResponse> {
  const { db } = ctx.handle;
  const [numbers, check] = await Promise.all([listCallerNumbers(db, customer.id), findCheck(db, customer.id, ctx.clock.now())]);
  const serviceNumber = ctx.config.telnyx.callerNumber;
  const attemptsLeft = check === undefined ? 0 : CODE_TRIES - check.tries;
  return {
    caller_id: {
      service_number: serviceNumber,
      shown: numbers.find(({ chosen }) => chosen)?.number ?? serviceNumber,
      numbers: numbers.map((one) => ({
        number: one.number,
        proven_at: one.proven_at.toISOString(),
        needs_proof: one.lapsed_at !== null,
      })),
      max_numbers: MAX_CALLER_NUMBERS,
      check:
        check === undefined || attemptsLeft <= 0
          ? null
          : { number: check.number, attempts_left: attemptsLeft, expires_at: check.expires_at.toISOString() },
    },
  };
}

/** The caller id of a call. Never the called number itself, because networks route that to voicemail. */
export async function chooseCallerNumber(ctx: ServiceContext, customer: Customer, destination: string): Promise<string> {
  const chosen = await findChosenNumber(ctx.handle.db, customer.id);
  return chosen === undefined || chosen === destination ? ctx.config.telnyx.callerNumber : chosen;
}
