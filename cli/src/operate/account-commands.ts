import {
  cancelErasureOf,
  readClosingAccountOf,
  requestErasureOf,
  requestExportOf,
} from "@farline/server/personal-data/personal-data.ts";
import { ERASURE_GRACE_DAYS } from "@farline/contract/constants.ts";
import { formatDollars } from "@farline/domain/money.ts";
import type { Command } from "commander";
import { reasoned, run, print, type Reasoned } from "./commands.ts";
import { CommandError } from "./installation.ts";
import { asOperator } from "./open-context.ts";

type Options = Reasoned & { readonly dryRun?: boolean };

export function addAccountCommands(program: Command): void {
  const accounts = program.command("accounts").description("a customer's data: a copy of it, or its erasure");
  reasoned(
    accounts.command("export <customer>").description("mail a customer the link to a copy of their data (id or email address)"),
  )
    .option("--dry-run", "only show what would happen")
    .action(run(exportAccount));
  reasoned(accounts.command("erase <customer>").description("close an account, and erase it after the grace period"))
    .option("--dry-run", "only show what would happen")
    .action(run(eraseAccount));
  reasoned(accounts.command("keep <customer>").description("cancel the erasure of an account")).action(
    run(async (customer: string, { reason }: Options) => {
      await asOperator(process.env, "personal-data", (ctx) => cancelErasureOf(ctx, { customer, reason }));
      print("The erasure is cancelled.");
    }),
  );
}

async function exportAccount(customer: string, { reason, dryRun = false }: Options): Promise<void> {
  const { email, started } = await asOperator(process.env, "personal-data", (ctx) =>
    requestExportOf(ctx, { customer, reason, dryRun }),
  );
  if (!started) return print(`A copy is already being prepared. The link goes to ${email}.`);
  print(
    dryRun ? `A copy would be prepared, and its link mailed to ${email}.` : `The copy is prepared. The link goes to ${email}.`,
  );
}

async function eraseAccount(customer: string, { reason, dryRun = false }: Options): Promise<void> {
  await asOperator(process.env, "personal-data", async (ctx) => {
    const { email, lostMicros, obstacle, closesAt } = await readClosingAccountOf(ctx, customer);
    if (closesAt !== null) return print(`The account is already closed and will be erased on ${closesAt.toISOString()}.`);
    print(`$${formatDollars(lostMicros)} of credit would be lost. The customer is told at ${email}.`);
    if (dryRun && obstacle !== null) throw new CommandError(`It would be refused: ${obstacle}`);
    if (dryRun) return print(`It would be erased after ${ERASURE_GRACE_DAYS} days. Nothing was done.`);
    const { eraseAt } = await requestErasureOf(ctx, { customer, reason });
    print(`The account is closed. It will be erased on ${eraseAt.toISOString()} unless its owner cancels.`);
  });
}
