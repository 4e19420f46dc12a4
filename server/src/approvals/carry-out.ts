import type { OperatorRole } from "@farline/contract/operator/rights.ts";
import { orderRefund } from "../billing/billing.ts";
import { decideRefund } from "../calls/calls.ts";
import type { OperatorContext } from "../context.ts";
import { ACTIVATE_DECK, activateDeck, type Activated, type ActivationOrder } from "../decks/decks.ts";
import { CREATE_CAMPAIGN, createCampaign, readOrder } from "../promotions/promotions.ts";
import { changeSetting, readValue, SET_SETTING, type SettingValue } from "../settings/settings.ts";
import {
  adjustCredit,
  changeRole,
  inviteOperator,
  renewInvitation,
  resultOf,
  unfreezeAccount,
  whyNotConfirm,
  writeOffDebt,
  type Approval,
  type Moved,
} from "../operator/operator.ts";
import { changeTerm, SET_TERM } from "../terms/terms.ts";

/** What a confirmed proposal did. */
export type CarriedOut =
  | { readonly action: "refund"; readonly refund: Awaited<ReturnType<typeof orderRefund>> }
  | { readonly action: "write_off"; readonly micros: bigint }
  | { readonly action: "grant-call-refund" | "adjust" | "deduct"; readonly micros: bigint }
  | { readonly action: typeof ACTIVATE_DECK; readonly activated: Activated }
  | { readonly action: "invite-operator" | "renew-invitation" | "change-role" | "unfreeze" }
  | { readonly action: typeof CREATE_CAMPAIGN; readonly code: string }
  | { readonly action: typeof SET_TERM }
  | { readonly action: typeof SET_SETTING; readonly changed: SettingValue };

/**
 * Repeats a proposed operation as the second operator. The operation verifies that it is the same, and once more who confirms.
 * @param activate puts a deck in force; the service does that in a process of its own
 * @throws AppError as the operation does; Error for a proposal of another version
 */
export async function carryOut(
  ctx: OperatorContext,
  approval: Approval,
  activate: (order: ActivationOrder) => Promise<Moved<Activated>> = (order) => activateDeck(ctx, order),
): Promise<CarriedOut> {
  const refusal = await whyNotConfirm(ctx.handle.db, approval, ctx.actor, ctx.clock.now());
  if (refusal !== null) throw refusal;
  const { id: confirms, reason, detail } = approval;
  const subject = approval.subject ?? "";
  const amountMicros = approval.amount_micros;
  switch (approval.action) {
    case "refund": {
      const force = detail["force"] === true;
      const outside = typeof detail["outside"] === "string" ? { outside: detail["outside"] } : {};
      const order = { paymentId: subject, amountMicros, force, ...outside, reason, confirms };
      return { action: "refund", refund: await orderRefund(ctx, order) };
    }
    case "write_off":
      return { action: "write_off", micros: await writeOffDebt(ctx, { customer: approval.customer_id ?? "", reason, confirms }) };
    case "adjust":
    case "deduct": {
      const { action } = approval;
      const signedMicros = action === "adjust" ? (amountMicros ?? 0n) : -(amountMicros ?? 0n);
      const order = { customer: approval.customer_id ?? "", amountMicros: signedMicros, reason, confirms };
      return { action, micros: await adjustCredit(ctx, order) };
    }
    case "grant-call-refund": {
      const answer = typeof detail["answer"] === "string" ? detail["answer"] : null;
      const made = await decideRefund(ctx, subject, { grant: true, answer, reason, confirms });
      return { action: "grant-call-refund", micros: made.amount_micros };
    }
    case ACTIVATE_DECK: {
      const at = detail["starts"] === "now" ? null : new Date(String(detail["starts"]));
      return { action: ACTIVATE_DECK, activated: resultOf(await activate({ deck: subject, at, reason, confirms })) };
    }
    case CREATE_CAMPAIGN: {
      const { code } = await createCampaign(ctx, { code: subject, ...readOrder(detail), reason, confirms });
      return { action: CREATE_CAMPAIGN, code };
    }
    case SET_TERM: {
      const until = detail["until"] === "" ? null : new Date(String(detail["until"]));
      const order = {
        customer: approval.customer_id ?? "",
        name: subject,
        value: String(detail["value"]),
        until,
        reason,
        confirms,
      };
      await changeTerm(ctx, order);
      return { action: SET_TERM };
    }
    case SET_SETTING: {
      const from = detail["starts"] === "now" ? null : new Date(String(detail["starts"]));
      const value = readValue(subject, String(detail["value"]));
      return { action: SET_SETTING, changed: await changeSetting(ctx, { name: subject, value, from, reason, confirms }) };
    }
    case "invite-operator":
    case "renew-invitation":
    case "change-role":
      return letIn(ctx, approval.action, approval);
    case "unfreeze":
      await unfreezeAccount(ctx, { customer: approval.customer_id ?? "", reason, confirms });
      return { action: "unfreeze" };
    default:
      throw new Error(`This version does not know how to ${approval.action}.`);
  }
}

/** Lets an operator in, or further in. */
async function letIn<Action extends "invite-operator" | "renew-invitation" | "change-role">(
  ctx: OperatorContext,
  action: Action,
  { id: confirms, subject, reason, detail }: Approval,
): Promise<{ readonly action: Action }> {
  const { name, role } = detail as { name: string; role: OperatorRole };
  const operator = subject ?? "";
  if (action === "invite-operator") await inviteOperator(ctx, { email: operator, name, role, reason, confirms });
  else if (action === "renew-invitation") await renewInvitation(ctx, { operator, reason, confirms });
  else await changeRole(ctx, { operator, role, reason, confirms });
  return { action };
}
