import { readEnvironment } from "@farline/contract/settings/setting-files.ts";
import { Command } from "commander";
import { addSignInCommands } from "./client/sign-in-commands.ts";
import { addCommonOptions, EXIT, onMachine, refuseUnknownCommands } from "./command.ts";
import { addDoctorCommand } from "./doctor/doctor-command.ts";
import { addDatabaseCommands } from "./machine/database-commands.ts";
import { addKeysCommand } from "./machine/keys-command.ts";
import { addLogCommand } from "./machine/log-command.ts";
import { addTelnyxCommands } from "./machine/telnyx-commands.ts";
import { addOperatorCommands } from "./operate/operator-commands.ts";
import { startAll } from "./start/start-all.ts";

// Commands read process.env, and npm start passes settings on by name; both therefore see settings that are read from files.
const files = readEnvironment(process.env);
if (files.problems.length > 0) {
  process.stderr.write(`${files.problems.join("\n")}\n`);
  process.exit(EXIT.refused);
}
Object.assign(process.env, files.env);

const program = new Command("farline").description("Commands for running and operating Farline.");

onMachine(program.command("start", { isDefault: true }))
  .description("start PostgreSQL, the sandbox, the exchange and the service, and keep them running")
  .option("--lan", "also open the web app to phones in the same network, by https with a certificate of its own")
  .action(async ({ lan = false }: { lan?: boolean }) => {
    process.exitCode = await startAll(process.env, { lan });
  });

addSignInCommands(program);
addOperatorCommands(program, async (invited) => (await import("./machine/own-context.ts")).addFirstAdmin(invited));
addDatabaseCommands(program);
addDoctorCommand(program);
addKeysCommand(program);
addLogCommand(program);
addTelnyxCommands(program);

addCommonOptions(program);
refuseUnknownCommands(program);

// A reader such as `head` may close the pipe early; the command still finishes what it does.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
await program.parseAsync();
