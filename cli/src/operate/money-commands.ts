import { randomUUID } from "node:crypto";
import { type FreezeReason, freezeReasons } from "@farline/contract/constants.ts";
import { latestReconciliation, reconcilePayments } from "@farline/server/billing/billing.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { formatDollars, parseDollars } from "@farline/domain/money.ts";
import { type Command, Option } from "commander";
import { EXIT, print, reasoned, run, show, type Reasoned } from "./commands.ts";
import { CommandError } from "./installation.ts";
import { withContext } from "./open-context.ts";
import { operate } from "./operate.ts";

const DEFAULT_DAYS = 3;
const MAX_DAYS = 90;

/** Adds the operator commands for payments and accounts. Each change is recorded with its operator and reason. */
export function addMoneyCommands(program: Command): void {
  reasoned(program.command("refund <payment>").description("refund a payment, in full or in part"))
    .option("--amount <dollars>", "needed: how much, or all that is left of the payment")
    .option("--force", "also refund credit that is already spent: it becomes the customer's debt")
    .option("--again", "once more, although the same was refunded within the last hour")
    .option("--outside <reference>", "record a refund that you have paid by a transfer with this reference; nothing is sent")
    .action(run(refund));
  reasoned(
    program.command("freeze <customer>").description("freeze a customer's account: no calls or payments (id or email address)"),
  )
    .addOption(new Option("--because <word>", "what the customer is told").choices(freezeReasons).makeOptionMandatory())
    .action(
      run((customer: string, { reason, because }: Reasoned & { because: FreezeReason }) =>
        operate("freeze", { customer, because, reason }),
      ),
    );
  reasoned(
    program
      .command("unfreeze <customer>")
      .description("unfreeze a customer's account: calls and payments again (id or email address)"),
  ).action(run((customer: string, { reason }: Reasoned) => operate("unfreeze", { customer, reason })));
  reasoned(program.command("write-off <customer>").description("cancel a customer's debt (id or email address)")).action(
    run((customer: string, { reason }: Reasoned) => operate("write-off", { customer, reason })),
  );
  program
    .command("reconcile")
    .description("compare the ledger with the payment provider")
    .option("--days <number>", "how far back", String(DEFAULT_DAYS))
    .option("--last", "show the latest comparison instead of making one")
    .action(run(reconcile));
}

async function refund(
  payment: string,
  options: Reasoned & { amount?: string; force?: boolean; again?: boolean; outside?: string },
): Promise<void> {
  const isAll = options.amount === "all";
  const amount = isAll ? undefined : parseDollars(options.amount ?? "");
  if (amount === null)
    throw new CommandError("--amount is an amount in dollars, for example 5 or 12.50, or all that is left of the payment: all.");
  await operate("refund", {
    payment,
    amount,
    force: options.force === true,
    outside: options.outside,
    key: randomUUID(),
    again: options.again === true,
    reason: options.reason,
  });
}

async function reconcile(options: { days: string; last?: boolean }): Promise<void> {
  const days = Number(options.days);
  if (!Number.isInteger(days) || days < 1 || days > MAX_DAYS)
    throw new CommandError(`--days is a whole number from 1 to ${MAX_DAYS}.`);
  await withContext(process.env, async (ctx) => {
    const now = ctx.clock.now();
    if (options.last !== true) await reconcilePayments(ctx, { from: new Date(now.getTime() - days * DAY_MS), to: now });
    const latest = await latestReconciliation(ctx.handle.db);
    if (latest === null) return print("There has been no comparison yet.");
    const { run: done, differences } = latest;
    show({ comparison: done, differences }, [
      `${done.from_time.toISOString()} to ${done.to_time.toISOString()}: ${done.charges} charges at the provider.`,
      `Provider $${formatDollars(done.provider_micros ?? 0n)}, ledger $${formatDollars(done.ledger_micros ?? 0n)}, ${done.repaired} payments set right.`,
      ...differences.map(
        (one) =>
          `${one.kind}  payment ${one.payment_id ?? "-"}  ${one.reference ?? "-"}  provider ${dollars(one.provider_micros)}  ledger ${dollars(one.ledger_micros)}  ${one.detail}`,
      ),
      differences.length === 0 ? "No differences." : `${differences.length} of ${done.differences} differences.`,
    ]);
    if (differences.length > 0) process.exitCode = EXIT.faults;
  });
}

function dollars(micros: bigint | null): string {
  return micros === null ? "-" : `$${formatDollars(micros)}`;
}
