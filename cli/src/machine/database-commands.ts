import type { Command } from "commander";
import { onMachine, run } from "../command.ts";
import { operationCommand } from "../operate/operation.ts";

/** Loaded only by a command that needs it, with the service. */
const work = () => import("./database-work.ts");

/** Adds the commands that update the database before a release starts, check its ledger, and follow a restore (docs/operate/backup.md). */
export function addDatabaseCommands(program: Command): void {
  onMachine(program.command("migrate"))
    .description("apply this release's migrations; the previous release keeps running")
    .action(run(async () => (await work()).migrateDatabase()));
  onMachine(program.command("verify-ledger"))
    .description("compare every balance with its entries and holds, from the first booking on")
    .action(run(async () => (await work()).verifyLedger()));
  const events = program
    .command("events")
    .description("move the events of old calls into files, and back (docs/operate/growth.md)");
  onMachine(events.command("archive"))
    .description("move the events of each month that is more than 13 months old into a file")
    .requiredOption("--to <folder>", "where the files go; back them up, as they are nowhere else afterwards")
    .action(run(async ({ to }: { to: string }) => (await work()).archiveMonths(to)));
  onMachine(events.command("restore"))
    .argument("<file>", "an archive")
    .description("write the events of an archived month back into the database")
    .action(run(async (file: string) => (await work()).restoreMonth(file)));
  const restore = program.command("restore").description("bring a database that was restored from a back-up up to date");
  onMachine(restore.command("begin"))
    .description("close intake before the first start, and end every session, link and ticket")
    .action(run(async () => (await work()).beginRestoring()));
  onMachine(restore.command("check"))
    .description("bring back what only the providers remember, compare, and reopen intake if everything agrees")
    .action(run(async () => (await work()).checkRestored()));
  operationCommand(restore, "open-intake", "open", { description: "reopen intake although differences remain" });
}
