import type { CallerCodeRequest, CallerIdResponse } from "@farline/contract/caller-id.ts";
import {
  lockSession,
  type Customer,
  type RequestOrigin,
  type SessionWithCustomer,
  recordWithNotice,
} from "../../accounts/accounts.ts";
import { AppError } from "../../platform/app-error.ts";
import { sharedRateLimit } from "../../platform/http/rate-limit.ts";
import type { CallContext } from "../call-context.ts";
import { CODE_TRIES } from "./caller-id-limits.ts";
import { findCheck, uncountTry, isOfAnother, readShownNumber, saveProvenNumber, countTry } from "./caller-number.store.ts";
import { readCallerId } from "./read-caller-id.ts";

type ConfirmCode = (customer: SessionWithCustomer, request: CallerCodeRequest, from: RequestOrigin) => Promise<CallerIdResponse>;

/**
 * Creates the function that checks the code that a customer heard. A correct code adds the number to the account, makes it the shown
 * one and notifies the customer by mail.
 * It throws AppError call_code_wrong, call_code_expired, rate_limited, voice_provider_down, or, only for a correct code,
 * caller_number_taken.
 */
export function createConfirmCode(ctx: CallContext): ConfirmCode {
  const ofAccount = sharedRateLimit(ctx, "code-guess-account");
  const ofBoth = sharedRateLimit(ctx, "code-guess-account-number");
  const ofNumber = sharedRateLimit(ctx, "code-guess-number");
  const guesses = {
    async take(customer: Customer, number: string) {
      await ofAccount.take(customer.id);
      await ofBoth.take(`${customer.id} ${number}`);
      await ofNumber.take(number);
    },
    async giveBack(customer: Customer, number: string) {
      const both = `${customer.id} ${number}`;
      await Promise.all([ofAccount.giveBack(customer.id), ofBoth.giveBack(both), ofNumber.giveBack(number)]);
    },
    clear: (number: string) => ofNumber.clear(number),
  };
  return (customer, request, from) => confirmCode(ctx, customer, { ...request, from, guesses });
}

interface Guesses {
  take(customer: Customer, number: string): Promise<void>;
  giveBack(customer: Customer, number: string): Promise<void>;
  clear(number: string): Promise<void>;
}

async function confirmCode(
  ctx: CallContext,
  customer: SessionWithCustomer,
  { number, code, from, guesses }: CallerCodeRequest & { from: RequestOrigin; guesses: Guesses },
): Promise<CallerIdResponse> {
  const { db } = ctx.handle;
  const at = ctx.clock.now();
  const check = await findCheck(db, customer.id, at);
  if (check?.number !== number) {
    // A double click or a second tab: the code has already been accepted.
    if ((await readShownNumber(db, customer.id, number)) !== null) return readCallerId(ctx, customer);
    throw expired();
  }
  await guesses.take(customer, number);
  if (!(await countTry(db, check.id, CODE_TRIES))) throw expired();
  const answer = await ctx.numbers.submitCode(number, code);
  if (answer.result !== "proven") {
    if (answer.result === "unreachable") {
      await uncountTry(db, check.id);
      await guesses.giveBack(customer, number);
    }
    const mustHideOwner = answer.result === "expired" && (await isOfAnother(db, number, customer.id));
    throw refusalOf(mustHideOwner ? "wrong" : answer.result, check.tries + 1 < CODE_TRIES);
  }
  await guesses.clear(number);
  const { proof } = answer;
  const isSaved = await ctx.transaction(async (tx) => {
    await lockSession(tx, customer);
    const saved = await saveProvenNumber(tx, { number, customerId: customer.id, proof, at });
    // People call the shown number back, so its owner must know that it changed.
    if (saved) await recordWithNotice(tx, customer, { event: "caller_number_added", detail: number, from, at });
    return saved;
  });
  if (!isSaved) throw new AppError("caller_number_taken");
  ctx.live.publish(customer.id, { type: "caller_id" });
  return readCallerId(ctx, customer);
}

function refusalOf(result: "wrong" | "expired" | "unreachable", mayTryAgain: boolean): AppError {
  if (result === "unreachable") return new AppError("voice_provider_down", { reason: "code_check_failed" });
  if (result === "expired" || !mayTryAgain) return expired();
  return new AppError("call_code_wrong", { field: "code" });
}

function expired(): AppError {
  return new AppError("call_code_expired");
}
