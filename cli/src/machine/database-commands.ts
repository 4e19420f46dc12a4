import { checkLedger } from "@farline/server/ledger/ledger.ts";
import { migrate } from "@farline/server/platform/database/migrate.ts";
import { createLog } from "@farline/server/platform/log.ts";
import type { Command } from "commander";
import { EXIT, onMachine, print, run, show } from "../command.ts";
import { readInstallation } from "./installation.ts";
import { withContext } from "./own-context.ts";

/** Adds the commands that update the database before the first service of a new release starts, and check its ledger. */
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
}

async function verifyLedger(): Promise<void> {
  await withContext(process.env, async (ctx) => {
    const drift = await checkLedger(ctx, { whole: true });
    const lines = drift.map((one) => `${one.check}  ${one.id}  expected ${one.expected}  actual ${one.actual}`);
    show({ drift }, drift.length === 0 ? ["The ledger adds up."] : lines);
    if (drift.length > 0) process.exitCode = EXIT.faults;
  });
}
