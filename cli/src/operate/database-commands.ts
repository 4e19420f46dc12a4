import { migrate } from "@farline/server/platform/database/migrate.ts";
import { createLog } from "@farline/server/platform/log.ts";
import type { Command } from "commander";
import { print, run } from "./commands.ts";
import { readInstallation } from "./installation.ts";

/** Adds the command that updates the database before the first service of a new release starts. */
export function addDatabaseCommands(program: Command): void {
  program
    .command("migrate")
    .description("apply this release's migrations; the previous release keeps running")
    .action(
      run(async () => {
        await migrate(readInstallation(process.env).databaseUrl, createLog("info", "cli", process.stderr));
        print("The database is up to date.");
      }),
    );
}
