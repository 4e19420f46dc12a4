import type { Command } from "commander";
import { onMachine, run } from "../command.ts";
import type { SetUpOptions } from "./telnyx-work.ts";

/** Loaded only by a command that needs it, with the service. */
const work = () => import("./telnyx-work.ts");

/** Adds the commands for the Telnyx account. They read the same variables as the service. */
export function addTelnyxCommands(program: Command): void {
  const telnyx = onMachine(program.command("telnyx").description("the Telnyx account that carries the calls"));
  telnyx
    .command("check", { isDefault: true })
    .description("check the account and report what to fix")
    .action(run(async () => (await work()).checkTelnyx(process.env)));
  telnyx
    .command("setup")
    .description("create or repair profile, connection, webhook and number binding; a second run changes nothing")
    .option("--dry-run", "only show what would change")
    .option("--daily-limit <dollars>", "the most that all calls of a day may cost; 200.00 for a new profile")
    .option("--name <text>", "name of profile and connection", "farline")
    .action(run(async (options: SetUpOptions) => (await work()).setUpTelnyx(process.env, options)));
}
