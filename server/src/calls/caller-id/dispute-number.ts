import type { OperatorContext } from "../../context.ts";
import { findCustomer, insertSecurityEvent } from "../../accounts/accounts.ts";
import { enqueueMail } from "../../mail/mail.ts";
import { MOVES_NOTHING, recordOperation } from "../../operator/operator.ts";
import { AppError } from "../../platform/app-error.ts";
import { blockNumber, removeNumber, unblockNumber } from "./caller-number.store.ts";

/** An operator's command for a number. */
interface NumberOrder {
  /** E.164 */
  readonly number: string;
  readonly reason: string;
}

const E164 = /^\+[1-9]\d{6,14}$/;

/**
 * Removes a disputed number from its account and blocks it. The account is notified by mail; the voice provider's list is updated
 * within a minute. Running calls continue.
 * @returns whether an account had it, and whether it was already blocked
 * @throws AppError validation_failed
 */
export async function blockCallerNumber(
  ctx: OperatorContext,
  { number, reason }: NumberOrder,
): Promise<{ wasShown: boolean; wasBlocked: boolean }> {
  requireE164(number);
  const at = ctx.clock.now();
  const done = await ctx.transaction(async (tx) => {
    const isNew = await blockNumber(tx, { number, reason, at });
    const customerId = await removeNumber(tx, { number, customerId: null, at });
    await recordOperation(tx, ctx, {
      moves: MOVES_NOTHING,
      action: "block-caller-number",
      customerId: customerId ?? null,
      subject: number,
      reason,
    });
    const customer = customerId === undefined ? undefined : await findCustomer(tx, customerId);
    if (customer !== undefined) {
      await insertSecurityEvent(tx, { customerId: customer.id, kind: "caller_number_removed", detail: number, from: null, at });
      await enqueueMail(tx, {
        template: "account_notice",
        data: { name: customer.name, event: "caller_number_removed" },
        to: customer.email,
        language: customer.language,
        key: `caller number removed ${customer.id} ${number} ${at.getTime()}`,
        at,
      });
    }
    return { customerId, isNew };
  });
  if (done.customerId !== undefined) ctx.live.publish(done.customerId, { type: "caller_id" });
  return { wasShown: done.customerId !== undefined, wasBlocked: !done.isNew };
}

/** Unblocks a number. @returns false if it was not blocked. @throws AppError validation_failed */
export async function unblockCallerNumber(ctx: OperatorContext, { number, reason }: NumberOrder): Promise<boolean> {
  requireE164(number);
  return ctx.transaction(async (tx) => {
    const was = await unblockNumber(tx, number);
    await recordOperation(tx, ctx, {
      moves: MOVES_NOTHING,
      action: "unblock-caller-number",
      customerId: null,
      subject: number,
      reason,
    });
    return was;
  });
}

function requireE164(number: string): void {
  if (!E164.test(number)) throw new AppError("validation_failed", { reason: "operator.number_form" });
}
