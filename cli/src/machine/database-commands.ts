import { formatDollars } from "@farline/domain/money.ts";
import { ArchiveError, archiveEvents, type ArchivedMonth, restoreArchive } from "@farline/server/calls/events/archive-events.ts";
import type { Context } from "@farline/server/context.ts";
import { createTelnyx } from "@farline/server/calls/calls.ts";
import { checkLedger } from "@farline/server/ledger/ledger.ts";
import { migrate } from "@farline/server/platform/database/migrate.ts";
import { createLog } from "@farline/server/platform/log.ts";
import { beginRestore, checkRestore, type RestoreCheck } from "@farline/server/restore/restore.ts";
import type { Command } from "commander";
import { CommandError, EXIT, onMachine, print, run, show } from "../command.ts";
import { operationCommand } from "../operate/operation.ts";
import { readInstallation, readVoiceProvider } from "./installation.ts";
import { withContext } from "./own-context.ts";

const NONE = "No restore is in progress. Run: npm run cli -- restore begin";

/** Adds the commands that update the database before a release starts, check its ledger, and follow a restore (docs/operate/backup.md). */
export function addDatabaseCommands(program: Command): void {
  onMachine(program.command("migrate"))
    .description("apply this release's migrations; the previous release keeps running")
    .action(
      run(async () => {
        await migrate(readInstallation(process.env).databaseUrl, createLog("info", "cli", process.stderr));
        print("The database is up to date.");
      }),
    );
  onMachine(program.command("verify-ledger"))
    .description("compare every balance with its entries and holds, from the first booking on")
    .action(run(verifyLedger));
  const events = program
    .command("events")
    .description("move the events of old calls into files, and back (docs/operate/growth.md)");
  onMachine(events.command("archive"))
    .description("move the events of each month that is more than 13 months old into a file")
    .requiredOption("--to <folder>", "where the files go; back them up, as they are nowhere else afterwards")
    .action(run(({ to }: { to: string }) => archive((ctx) => archiveEvents(ctx, to))));
  onMachine(events.command("restore"))
    .argument("<file>", "an archive")
    .description("write the events of an archived month back into the database")
    .action(run((file: string) => archive(async (ctx) => [await restoreArchive(ctx, file)])));
  const restore = program.command("restore").description("bring a database that was restored from a back-up up to date");
  onMachine(restore.command("begin"))
    .description("close the doors before the first start, and end every session, link and ticket")
    .action(run(begin));
  onMachine(restore.command("check"))
    .description("bring back what only the providers remember, compare, and open the doors if everything agrees")
    .action(run(check));
  operationCommand(restore, "open-doors", "open", { description: "open the doors although differences remain" });
}

async function archive(work: (ctx: Context) => Promise<ArchivedMonth[]>): Promise<void> {
  await withContext(process.env, async (ctx) => {
    try {
      const months = await work(ctx);
      const lines = months.map(({ month, events, file }) => `${month}  ${events} events  ${file}`);
      show({ months }, lines.length === 0 ? ["No month is old enough."] : lines);
    } catch (error) {
      throw error instanceof ArchiveError ? new CommandError(error.message) : error;
    }
  });
}

async function verifyLedger(): Promise<void> {
  await withContext(process.env, async (ctx) => {
    const drift = await checkLedger(ctx, { whole: true });
    const lines = drift.map((one) => `${one.check}  ${one.id}  expected ${one.expected}  actual ${one.actual}`);
    show({ drift }, drift.length === 0 ? ["The ledger adds up."] : lines);
    if (drift.length > 0) process.exitCode = EXIT.faults;
  });
}

async function begin(): Promise<void> {
  await withContext(process.env, async (ctx) => {
    const restore = await beginRestore(ctx);
    if (restore === null) throw new CommandError("This database has no customers: nothing was restored.");
    show({ restore }, [
      `The doors are closed. The database knows what happened until ${restore.known_until.toISOString()}.`,
      "Start the service and the exchanges, then run: npm run cli -- restore check",
    ]);
  });
}

async function check(): Promise<void> {
  await withContext(process.env, async (ctx) => {
    const telnyx = readVoiceProvider(process.env);
    const checked = await checkRestore(ctx, { telnyx: createTelnyx({ telnyx }), apiKeys: telnyx.apiKeys });
    if (checked === null) throw new CommandError(NONE);
    show(checked, linesOf(checked));
    if (!checked.opened) process.exitCode = EXIT.faults;
  });
}

function linesOf({ restore, payments, receipts, calls, drift, opened }: RestoreCheck): string[] {
  return [
    `Since ${restore.known_until.toISOString()}, with a day before it: ${payments.charges} charges at the provider, ${payments.repaired} payments brought up to date.`,
    `Provider $${formatDollars(payments.providerMicros)}, ledger $${formatDollars(payments.ledgerMicros)}, ${payments.differences} differences.`,
    `${receipts.recovered} receipts keep their numbers; new ones of this year begin above ${receipts.above}.`,
    ...callLines(calls),
    ...drift.map((one) => `${one.check}  ${one.id}  expected ${one.expected}  actual ${one.actual}`),
    opened
      ? "Everything agrees: the doors are open."
      : "The doors stay closed. See reconcile --last; settle the differences and check again, or accept them with restore open.",
  ];
}

function callLines(found: RestoreCheck["calls"]): string[] {
  if (found === null) return ["The voice provider keeps no events: calls that the database has forgotten are not charged."];
  const { calls, settled, chargedMicros, withoutAccount, owing } = found;
  return [
    `${calls} calls came back, ${settled} of them are over and cost $${formatDollars(chargedMicros, 6)}.`,
    ...(withoutAccount === 0 ? [] : [`${withoutAccount} calls of accounts that did not come back are not charged.`]),
    ...owing.map(
      ({ customerId, debtMicros }) =>
        `Customer ${customerId} owes $${formatDollars(debtMicros, 6)}: free credit of the lost time was spent. Cancel it with write-off.`,
    ),
  ];
}
