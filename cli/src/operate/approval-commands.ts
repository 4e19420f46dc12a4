import { carryOut } from "@farline/server/approvals/approvals.ts";
import { ACTIVATE_DECK } from "@farline/server/decks/decks.ts";
import type { OperatorContext } from "@farline/server/context.ts";
import {
  countProposals,
  openApprovals,
  rejectApproval,
  rightToDecide,
  withdrawApproval,
  type Approval,
} from "@farline/server/operator/operator.ts";
import { CREATE_CAMPAIGN } from "@farline/server/promotions/promotions.ts";
import { SET_TERM } from "@farline/server/terms/terms.ts";
import { SET_SETTING } from "@farline/server/settings/settings.ts";
import { formatDollars } from "@farline/domain/money.ts";
import { printableLine } from "@farline/domain/clean-text.ts";
import type { Command } from "commander";
import { countOf, reasoned, run, print, show, type Reasoned } from "./commands.ts";
import { printActivation } from "./decks/deck-commands.ts";
import { printRefund } from "./money-commands.ts";
import { printSetting } from "./setting-commands.ts";
import { CommandError } from "./installation.ts";
import { asOperator, withContext } from "./open-context.ts";

export function addApprovalCommands(program: Command): void {
  const approvals = program
    .command("approvals")
    .description("refunds, write-offs and unusual prices or settings that wait for a second operator");
  approvals.command("list", { isDefault: true }).description("proposals that can be confirmed").action(run(list));
  approvals.command("confirm <id>").description("carry out another operator's proposal").action(run(confirm));
  reasoned(approvals.command("reject <id>").description("end another operator's proposal without carrying it out")).action(
    run(async (id: string, { reason }: Reasoned) => {
      await asOperator(process.env, "money", (ctx) => rejectApproval(ctx, { id, reason }));
      print("The proposal is rejected. Nothing was moved.");
    }),
  );
  reasoned(approvals.command("withdraw <id>").description("end your own proposal")).action(
    run(async (id: string, { reason }: Reasoned) => {
      await asOperator(process.env, "withdraw", (ctx) => withdrawApproval(ctx, { id, reason }));
      print("The proposal is withdrawn.");
    }),
  );
}

async function list(): Promise<void> {
  const [open, total] = await withContext(process.env, (ctx) => Promise.all([openApprovals(ctx), countProposals(ctx)]));
  show({ proposals: open, total }, [
    ...open.map(
      (one) =>
        `${one.id}  ${one.action}  ${contentOf(one)}\n  ${one.proposer}, ${one.proposed_at.toISOString()}: ${printableLine(one.reason)}`,
    ),
    open.length === 0 ? "Nothing waits for a second operator." : `${countOf(open, total)} wait for a second operator.`,
  ]);
}

/** What would be done, and why a second operator must confirm it. */
function contentOf({ amount_micros: amount, customer_id: customer, subject, detail }: Approval): string {
  if (amount !== null) return `$${formatDollars(amount, 6)}  customer ${customer}  ${subject ?? "-"}`;
  const { concerns: _concerns, why, ...change } = detail;
  const what = Object.entries(change).map(([name, value]) => `${name} ${printableLine(String(value))}`);
  return `${subject ?? "-"}  ${what.join(", ")}\n  ${printableLine(String(why))}`;
}

async function confirm(id: string): Promise<void> {
  const open = await withContext(process.env, (ctx) => openApprovals(ctx));
  const approval = open.find((one) => one.id === id);
  if (approval === undefined) throw new CommandError(`No proposal ${id} waits for a second operator.`);
  await asOperator(process.env, rightToDecide(approval), (ctx) => confirmAs(ctx, approval));
}

/** Carries the proposal out as the second operator, and prints what was done. */
async function confirmAs(ctx: OperatorContext, approval: Approval): Promise<void> {
  const done = await carryOut(ctx, approval);
  switch (done.action) {
    case "refund":
      return printRefund(done.refund);
    case "write_off":
      return print(
        done.micros === 0n ? "The customer no longer owes anything." : `$${formatDollars(done.micros, 6)} was written off.`,
      );
    case "grant-call-refund":
      return print(`$${formatDollars(done.micros, 6)} was returned to the customer's account.`);
    case "adjust":
      return print(`$${formatDollars(done.micros, 6)} was added to the customer's credit.`);
    case "deduct":
      return print(`$${formatDollars(done.micros, 6)} was deducted from the customer's credit.`);
    case ACTIVATE_DECK:
      return printActivation(done.activated);
    case "invite-operator":
    case "renew-invitation":
      return print(`It is done. ${approval.proposer} alone can fetch the link, once: operator fetch-link <mail>.`);
    case "unfreeze":
      return print("The account is unfrozen.");
    case CREATE_CAMPAIGN:
      return print(`${done.code} is created.`);
    case "change-role":
      return print("The role is changed.");
    case SET_TERM:
      return print("The customer's limit is changed.");
    case SET_SETTING:
      return printSetting(done.changed);
  }
}
