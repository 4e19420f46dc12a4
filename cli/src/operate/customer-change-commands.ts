import { ERASURE_GRACE_DAYS } from "@farline/contract/constants.ts";
import { dollarText } from "@farline/contract/operator/words/money-words.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import type { Command } from "commander";
import { ask } from "../client/service.ts";
import { CommandError, print, reasoned, run, type Reasoned } from "../command.ts";
import { operate, operationCommand } from "./operation.ts";

const TERM_DAYS = 30;

/** Adds the commands that change something for one customer. */
export function addCustomerChangeCommands(program: Command): void {
  operationCommand(program, "freeze", "freeze <customer>", {
    description: "freeze a customer's account: no calls or payments (id or email address)",
    options: { because: ["--because <word>", "what the customer is told"] },
  });
  operationCommand(program, "unfreeze", "unfreeze <customer>", {
    description: "unfreeze a customer's account: calls and payments again (id or email address)",
  });
  operationCommand(program, "write-off", "write-off <customer>", {
    description: "cancel a customer's debt (id or email address)",
  });
  operationCommand(program, "end-sessions", "end-sessions <customer>", {
    description: "sign a customer out on every device, and end the calls made there",
  });
  operationCommand(program, "confirm-address", "confirm-address <customer>", {
    description: "confirm a customer's email address without a link",
  });
  operationCommand(program, "resend-verification", "resend-verification <customer>", {
    description: "mail a customer a new link to confirm their address",
  });
  operationCommand(program, "refund", "refund <payment>", {
    description: "refund a payment, in full or in part",
    options: {
      amount: ["--amount <dollars>", "how much", { unbound: "all" }],
      force: ["--force", "also refund credit that is already spent: it becomes the customer's debt"],
      again: ["--again", "once more, although the same was refunded within the last hour"],
      outside: ["--outside <reference>", "record a refund that you have paid by a transfer with this reference; nothing is sent"],
    },
    done: ({ failure }) => refundText(failure),
  });
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
  addAccountCommands(program.command("accounts").description("a customer's data: a copy of it, or its erasure"));
}

/** What became of a refund. @throws CommandError if the payment provider refused it */
export function refundText(failure: string | null): string {
  if (failure === null) return "The refund is on its way, or recorded if it was paid outside.";
  throw new CommandError(`The provider refused: ${failure || "no reason given"}. The credit is back on the account.`);
}

type Amount = Reasoned & { readonly amount: string; readonly add?: true; readonly take?: true; readonly again?: true };

async function adjust(customer: string, { reason, amount, add, take, again }: Amount): Promise<void> {
  if (add === take) throw new CommandError("Say whether the amount is credit to add or to take: --add or --take.");
  const done = () => `$${amount} was ${take ? "deducted from" : "added to"} the customer's credit.`;
  await operate(take ? "deduct" : "adjust", customer, { amount, again: again === true, reason }, done);
}

async function setTerm(
  customer: string,
  name: string,
  value: string,
  { reason, days }: Reasoned & { days: string },
): Promise<void> {
  if (!/^[1-9]\d{0,2}$/.test(days)) throw new CommandError("--days is a whole number of days.");
  const until = new Date(Date.now() + Number(days) * DAY_MS).toISOString();
  await operate("set-term", customer, { name, value, until, reason }, () =>
    value === "earned" ? "What the customer has earned applies again." : `It applies until ${until}.`,
  );
}

function addAccountCommands(accounts: Command): void {
  const dryRun = (command: Command) => command.option("--dry-run", "only show what would happen");
  dryRun(
    reasoned(
      accounts.command("export <customer>").description("mail a customer the link to a copy of their data (id or email address)"),
    ),
  ).action(
    run(async (id: string, options: Reasoned & { dryRun?: boolean }) => {
      if (options.dryRun !== true) return operate("export-account", id, { reason: options.reason });
      const { email } = await ask("GET /api/operator/customers/:id/erasure", { params: { id } });
      print(`A copy would be prepared, and its link mailed to ${email}.`);
    }),
  );
  dryRun(
    reasoned(accounts.command("erase <customer>").description("close an account, and erase it after the grace period")),
  ).action(run(eraseAccount));
  operationCommand(accounts, "keep-account", "keep <customer>", { description: "cancel the erasure of an account" });
}

async function eraseAccount(id: string, { reason, dryRun }: Reasoned & { dryRun?: boolean }): Promise<void> {
  const { email, lost, obstacle, closes_at: closesAt } = await ask("GET /api/operator/customers/:id/erasure", { params: { id } });
  if (closesAt !== null) return print(`The account is already closed and will be erased on ${closesAt}.`);
  print(`${dollarText(lost)} of credit would be lost. The customer is told at ${email}.`);
  if (dryRun !== true) return operate("erase-account", id, { reason });
  if (obstacle !== null) throw new CommandError(`It would be refused: ${obstacle}`);
  print(`It would be erased after ${ERASURE_GRACE_DAYS} days. Nothing was done.`);
}
