import { findCustomer, insertSecurityEvent } from "../../accounts/accounts.ts";
import { enqueueMail } from "../../mail/mail.ts";
import { MOVES_NOTHING, type Verb, CONCERNS_NOBODY } from "../../operator/operator.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { AppError } from "../../platform/app-error.ts";
import { blockNumber, lockCallerNumber, removeNumber, unblockNumber } from "./caller-number.store.ts";

const E164 = /^\+[1-9]\d{6,14}$/;

/**
 * Removes a disputed number from its account and blocks it. The account is notified by mail; the voice provider's list is updated
 * within a minute. Running calls continue.
 */
const block: Verb<"block-caller-number", { removedFrom: string | null; isNew: boolean }> = {
  plan: async (tx, ctx, { number, reason }) => {
    requireE164(number);
    const at = ctx.clock.now();
    const customerId = (await lockCallerNumber(tx, number)) ?? null;
    return {
      customerId,
      subject: number,
      moves: MOVES_NOTHING,
      run: async () => {
        const isNew = await blockNumber(tx, { number, reason, at });
        await removeNumber(tx, { number, customerId: null, at });
        if (customerId !== null) await notifyOwner(tx, { customerId, number, at });
        return { result: { removedFrom: customerId, isNew } };
      },
    };
  },
  finish: async (ctx, result) => {
    if (result.removedFrom !== null) ctx.live.publish(result.removedFrom, { type: "caller_id" });
    return result;
  },
  respond: ({ result }) => ({ removed: result !== null && result.removedFrom !== null, changed: result?.isNew === true }),
};

async function notifyOwner(
  tx: Transaction,
  { customerId, number, at }: { readonly customerId: string; readonly number: string; readonly at: Date },
): Promise<void> {
  const customer = await findCustomer(tx, customerId);
  if (customer === undefined) return;
  await insertSecurityEvent(tx, { customerId, kind: "caller_number_removed", detail: number, from: null, at });
  await enqueueMail(tx, {
    template: "account_notice",
    data: { name: customer.name, event: "caller_number_removed" },
    to: customer.email,
    language: customer.language,
    key: `caller number removed ${customer.id} ${number} ${at.getTime()}`,
    at,
  });
}

/** Unblocks a number. False if it was not blocked. */
const unblock: Verb<"unblock-caller-number", boolean> = {
  plan: async (tx, _ctx, { number }) => {
    requireE164(number);
    const does = async () => ({ result: await unblockNumber(tx, number) });
    return { ...CONCERNS_NOBODY, subject: number, run: does };
  },
  respond: ({ result }) => ({ changed: result === true }),
};

export const callerNumberVerbs = { "block-caller-number": block, "unblock-caller-number": unblock };

/** @throws AppError validation_failed */
function requireE164(number: string): void {
  if (!E164.test(number)) throw new AppError("validation_failed", { reason: "operator.number_form" });
}
