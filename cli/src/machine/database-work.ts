import { formatDollars } from "@farline/domain/money.ts";
import { ArchiveError, archiveEvents, type ArchivedMonth, restoreArchive } from "@farline/server/calls/events/archive-events.ts";
import type { Context } from "@farline/server/context.ts";
import { createTelnyx } from "@farline/server/calls/calls.ts";
import { checkLedger } from "@farline/server/ledger/ledger.ts";
import { UnfitDatabaseError } from "@farline/server/platform/database/database-session.ts";
import { migrate } from "@farline/server/platform/database/migrate.ts";
import { createLog } from "@farline/server/platform/log.ts";
import { beginRestore, checkRestore, type RestoreCheck } from "@farline/server/restore/restore.ts";
import { CommandError, EXIT, print, show } from "../command.ts";
import { readInstallation, readVoiceProvider } from "./installation.ts";
import { withContext } from "./own-context.ts";

const NONE = "No restore is in progress. Run: npm run cli -- restore begin";

/** Applies this release's migrations. */
export async function migrateDatabase(): Promise<void> {
  try {
    await migrate(readInstallation(process.env).databaseUrl, createLog("info", "cli", process.stderr));
  } catch (error) {
    throw error instanceof UnfitDatabaseError ? new CommandError(error.message) : error;
  }
  print("The database is up to date.");
}

/** Moves the events of old months into files in a folder. */
export function archiveMonths(folder: string): Promise<void> {
  return archive((ctx) => archiveEvents(ctx, folder));
}

/** Writes the events of an archived month back. */
export function restoreMonth(file: string): Promise<void> {
  return archive(async (ctx) => [await restoreArchive(ctx, file)]);
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

/** Compares every balance with its entries and holds. */
export async function verifyLedger(): Promise<void> {
  await withContext(process.env, async (ctx) => {
    const drift = await checkLedger(ctx, { whole: true });
    const lines = drift.map((one) => `${one.check}  ${one.id}  expected ${one.expected}  actual ${one.actual}`);
    show({ drift }, drift.length === 0 ? ["The ledger adds up."] : lines);
    if (drift.length > 0) process.exitCode = EXIT.faults;
  });
}

/** Closes intake of a database that was restored from a back-up. */
export async function beginRestoring(): Promise<void> {
  await withContext(process.env, async (ctx) => {
    const restore = await beginRestore(ctx);
    if (restore === null) throw new CommandError("This database has no customers: nothing was restored.");
    show({ restore }, [
      `Intake is closed. The database knows what happened until ${restore.known_until.toISOString()}.`,
      "Start the service and the exchanges, then run: npm run cli -- restore check",
    ]);
  });
}

/** Brings back what only the providers remember, and reopens intake if everything agrees. */
export async function checkRestored(): Promise<void> {
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
      ? "Everything agrees: intake is open."
      : "Intake stays closed. See reconcile --last; settle the differences and check again, or accept them with restore open.",
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
