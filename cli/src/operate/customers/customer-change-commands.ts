import { formatDollars, parseDollars } from "@farline/domain/money.ts";
import {
  adjustCredit,
  confirmCustomerAddress,
  endCustomerSessions,
  resendVerification,
} from "@farline/server/operator/operator.ts";
import type { Command } from "commander";
import { reasoned, run, print, type Reasoned } from "../commands.ts";
import { CommandError } from "../installation.ts";
import { asOperator } from "../open-context.ts";

/** Adds the commands that help one customer. Each change is recorded with its operator and reason. */
export function addCustomerChangeCommands(program: Command): void {
  reasoned(program.command("adjust <customer>").description("add credit to correct a mistake (id or mail address)"))
    .requiredOption("--amount <dollars>", "how much")
    .action(
      run(async (customer: string, { reason, amount }: Reasoned & { amount: string }) => {
        const amountMicros = parseDollars(amount);
        if (amountMicros === null) throw new CommandError("--amount is an amount in dollars, for example 5 or 12.50.");
        const added = await asOperator(process.env, "money", (ctx) => adjustCredit(ctx, { customer, amountMicros, reason }));
        print(`$${formatDollars(added)} are added to the customer's credit.`);
      }),
    );
  reasoned(program.command("end-sessions <customer>").description("sign a customer out on every device")).action(
    run(async (customer: string, { reason }: Reasoned) => {
      await asOperator(process.env, "restrict", (ctx) => endCustomerSessions(ctx, { customer, reason }));
      print("The customer is signed out everywhere.");
    }),
  );
  reasoned(program.command("confirm-address <customer>").description("confirm a customer's mail address without a link")).action(
    run(async (customer: string, { reason }: Reasoned) => {
      const confirmed = await asOperator(process.env, "release", (ctx) => confirmCustomerAddress(ctx, { customer, reason }));
      print(confirmed ? "The address is confirmed." : "The address was confirmed already.");
    }),
  );
  reasoned(
    program.command("resend-verification <customer>").description("mail a customer a new link to confirm their address"),
  ).action(
    run(async (customer: string, { reason }: Reasoned) => {
      const sent = await asOperator(process.env, "answer-cases", (ctx) => resendVerification(ctx, { customer, reason }));
      print(sent ? "The link is on its way." : "The address was confirmed already.");
    }),
  );
}
