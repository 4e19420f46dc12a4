import { randomUUID } from "node:crypto";
import { DAY_MS } from "@farline/domain/durations.ts";
import { parseDollars } from "@farline/domain/money.ts";
import { isTermName } from "@farline/domain/business/customer-terms.ts";
import type { Command } from "commander";
import { reasoned, run, type Reasoned } from "../commands.ts";
import { CommandError } from "../installation.ts";
import { operate } from "../operate.ts";

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
  ).action(withReason("end-sessions"));
  reasoned(program.command("confirm-address <customer>").description("confirm a customer's email address without a link")).action(
    withReason("confirm-address"),
  );
  reasoned(
    program.command("resend-verification <customer>").description("mail a customer a new link to confirm their address"),
  ).action(withReason("resend-verification"));
}

function withReason(name: "end-sessions" | "confirm-address" | "resend-verification") {
  return run((customer: string, { reason }: Reasoned) => operate(name, { customer, reason }));
}

async function setTerm(
  customer: string,
  name: string,
  value: string,
  { reason, days }: Reasoned & { days: string },
): Promise<void> {
  if (!/^[1-9]\d{0,2}$/.test(days)) throw new CommandError("--days is a whole number of days.");
  if (!isTermName(name)) throw new CommandError(`There is no limit ${name}. \`customer\` lists their names.`);
  const until = new Date(Date.now() + Number(days) * DAY_MS).toISOString();
  await operate("set-term", { customer, name, value, until, reason });
}

type Amount = Reasoned & { readonly amount: string; readonly add?: true; readonly take?: true; readonly again?: true };

async function adjust(customer: string, { reason, amount, add, take, again }: Amount): Promise<void> {
  if (add === take) throw new CommandError("Say whether the amount is credit to add or to take: --add or --take.");
  const micros = parseDollars(amount);
  if (micros === null) throw new CommandError("--amount is an amount in dollars, for example 5 or 12.50.");
  const order = { customer, reason, key: randomUUID(), again: again === true };
  await (take ? operate("deduct", { ...order, amount: micros }) : operate("adjust", { ...order, amount: micros, take: false }));
}
