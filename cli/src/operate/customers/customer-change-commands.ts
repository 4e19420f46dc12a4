import { DAY_MS } from "@farline/domain/durations.ts";
import { formatDollars, parseDollars } from "@farline/domain/money.ts";
import {
  adjustCredit,
  confirmCustomerAddress,
  endCustomerSessions,
  resendVerification,
} from "@farline/server/operator/operator.ts";
import { changeTerm } from "@farline/server/terms/terms.ts";
import type { Command } from "commander";
import { reasoned, run, print, type Reasoned } from "../commands.ts";
import { CommandError } from "../installation.ts";
import { asOperator } from "../open-context.ts";

const TERM_DAYS = 30;

/** Adds the commands that help one customer. Each change is recorded with its operator and reason. */
export function addCustomerChangeCommands(program: Command): void {
  reasoned(program.command("adjust <customer>").description("add or take credit to correct a mistake (id or email address)"))
    .requiredOption("--amount <dollars>", "how much")
    .option("--add", "add it to the credit; this or --take is needed")
    .option("--take", "take it from the free credit")
    .option("--again", "once more, although the same was done within the last hour")
    .action(run(adjust));
  reasoned(
    program
      .command("terms <customer> <name> <value>")
      .description("set a customer's tier or a limit for a while, or `earned` to end it; `customer` lists the names"),
  )
    .option("--days <number>", "how long", String(TERM_DAYS))
    .action(run(setTerm));
  reasoned(
    program.command("end-sessions <customer>").description("sign a customer out on every device, and end the calls made there"),
  ).action(
    run(async (customer: string, { reason }: Reasoned) => {
      await asOperator(process.env, "restrict", (ctx) => endCustomerSessions(ctx, { customer, reason }));
      print("The customer is signed out everywhere.");
    }),
  );
  reasoned(program.command("confirm-address <customer>").description("confirm a customer's email address without a link")).action(
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

async function setTerm(
  customer: string,
  name: string,
  value: string,
  { reason, days }: Reasoned & { days: string },
): Promise<void> {
  if (!/^[1-9]\d{0,2}$/.test(days)) throw new CommandError("--days is a whole number of days.");
  await asOperator(process.env, "restrict", (ctx) => {
    const until = new Date(ctx.clock.now().getTime() + Number(days) * DAY_MS);
    return changeTerm(ctx, { customer, name, value, until, reason });
  });
  print(value === "earned" ? "What the customer has earned applies again." : `It applies for ${days} days.`);
}

type Amount = Reasoned & { readonly amount: string; readonly add?: true; readonly take?: true; readonly again?: true };

async function adjust(customer: string, { reason, amount, add, take, again }: Amount): Promise<void> {
  if (add === take) throw new CommandError("Say whether the amount is credit to add or to take: --add or --take.");
  const micros = parseDollars(amount);
  if (micros === null) throw new CommandError("--amount is an amount in dollars, for example 5 or 12.50.");
  const order = { customer, amountMicros: take ? -micros : micros, reason, again };
  const moved = await asOperator(process.env, "money", (ctx) => adjustCredit(ctx, order));
  print(`$${formatDollars(moved)} was ${take ? "deducted from" : "added to"} the customer's credit.`);
}
