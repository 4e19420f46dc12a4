import { confirmProposed } from "@farline/server/operations/operations.ts";
import {
  countProposals,
  openApprovals,
  rejectApproval,
  resultOf,
  rightToDecide,
  withdrawApproval,
  type Approval,
} from "@farline/server/operator/operator.ts";
import { formatDollars } from "@farline/domain/money.ts";
import { printableLine } from "@farline/domain/clean-text.ts";
import type { Command } from "commander";
import { countOf, reasoned, run, print, show, type Reasoned } from "./commands.ts";
import { CommandError } from "./installation.ts";
import { printDone } from "./operate.ts";
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
  const { name, outcome } = await asOperator(process.env, rightToDecide(approval), (ctx) => confirmProposed(ctx, approval));
  printDone(name, resultOf(outcome) as never);
}
