import { writeFile } from "node:fs/promises";
import { markDisputeHandled } from "@farline/server/billing/billing.ts";
import { decideReview } from "@farline/server/operator/operator.ts";
import { exportEvidence } from "@farline/server/queue/queue.ts";
import { type Command, Option } from "commander";
import { print, reasoned, run, type Reasoned } from "./commands.ts";
import { asOperator } from "./open-context.ts";

interface HandledOptions extends Reasoned {
  readonly as: "answered" | "accepted";
}

/** `disputes …` and `reviews …`: the queue lists both. */
export function addDisputeCommands(program: Command): void {
  const disputes = program.command("disputes").description("customers' bank disputes; `queue --kind dispute` lists them");
  reasoned(disputes.command("evidence <dispute>").description("write what the bank needs to know to a CSV file; it is recorded"))
    .requiredOption("--file <path>", "where to write it")
    .action(run(evidence));
  reasoned(disputes.command("handled <dispute>").description("say what was done about a dispute at the payment provider"))
    .addOption(new Option("--as <what>", "what was done").choices(["answered", "accepted"]).makeOptionMandatory())
    .action(run(handled));
  const reviews = program.command("reviews").description("accounts that the service froze; `queue --kind review` lists them");
  reasoned(reviews.command("unfreeze <customer>").description("unfreeze the account: the customer is legitimate")).action(
    run((customer: string, { reason }: Reasoned) => review(customer, "unfreeze", reason)),
  );
  reasoned(reviews.command("keep <customer>").description("keep the account frozen")).action(
    run((customer: string, { reason }: Reasoned) => review(customer, "keep", reason)),
  );
}

async function evidence(dispute: string, { file, reason }: Reasoned & { file: string }): Promise<void> {
  const { csv } = await asOperator(process.env, "export", (ctx) => exportEvidence(ctx, { dispute, reason }));
  await writeFile(file, csv, { mode: 0o600 });
  print(`The evidence is in ${file}.`);
}

async function handled(dispute: string, { as, reason }: HandledOptions): Promise<void> {
  await asOperator(process.env, "disputes", (ctx) => markDisputeHandled(ctx, { dispute, as, reason }));
  print(`The dispute is ${as}, and no longer waits.`);
}

async function review(customer: string, verdict: "unfreeze" | "keep", reason: string): Promise<void> {
  await asOperator(process.env, "release", (ctx) => decideReview(ctx, { customer, verdict, reason }));
  print(verdict === "unfreeze" ? "The account is unfrozen." : "The account stays frozen.");
}
