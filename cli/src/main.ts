import { readSettingFiles } from "@farline/contract/settings/setting-files.ts";
import { Command } from "commander";
import { addDoctorCommand } from "./doctor/doctor-command.ts";
import { addAccountCommands } from "./operate/account-commands.ts";
import { addApprovalCommands } from "./operate/approval-commands.ts";
import { addBreakerCommands } from "./operate/breaker-commands.ts";
import { addCallCommands } from "./operate/customers/call-commands.ts";
import { addCallerNumberCommands } from "./operate/caller-number-commands.ts";
import { addCaseCommands } from "./operate/case-commands.ts";
import { addCommonOptions, EXIT, refuseUnknownCommands } from "./operate/commands.ts";
import { addCustomerChangeCommands } from "./operate/customers/customer-change-commands.ts";
import { addCustomerCommands } from "./operate/customers/customer-commands.ts";
import { addDisputeCommands } from "./operate/dispute-commands.ts";
import { addKeysCommand } from "./install/keys-command.ts";
import { addFindCommand } from "./operate/customers/find-commands.ts";
import { addDatabaseCommands } from "./operate/database-commands.ts";
import { addDeckCommands } from "./operate/decks/deck-commands.ts";
import { addMoneyCommands } from "./operate/money-commands.ts";
import { addFiguresCommand } from "./operate/figures/figures-command.ts";
import { addMonthCommands } from "./operate/figures/month-commands.ts";
import { addPeopleCommands } from "./operate/people/operator-commands.ts";
import { addSignInCommands } from "./operate/people/sign-in-commands.ts";
import { addPromoCommands } from "./operate/promo-commands.ts";
import { addOverviewCommand } from "./operate/figures/overview-command.ts";
import { addQueueCommand } from "./operate/queue-commands.ts";
import { addRefundRequestCommands } from "./operate/refund-request-commands.ts";
import { addRestoreCommands } from "./operate/restore-commands.ts";
import { addSettingCommands } from "./operate/setting-commands.ts";
import { addTelnyxCommands } from "./operate/telnyx-commands.ts";
import { startAll } from "./start/start-all.ts";

// Commands read process.env, and npm start passes settings on by name; both therefore see settings that are read from files.
const files = readSettingFiles(process.env);
if (files.problems.length > 0) {
  process.stderr.write(`${files.problems.join("\n")}\n`);
  process.exit(EXIT.refused);
}
Object.assign(process.env, files.env);

const program = new Command("farline").description("Commands for running and operating Farline.");

program
  .command("start", { isDefault: true })
  .description("start PostgreSQL, the sandbox, the exchange and the service, and keep them running")
  .option("--lan", "also open the web app to phones in the same network, by https with a certificate of its own")
  .action(async ({ lan = false }: { lan?: boolean }) => {
    process.exitCode = await startAll(process.env, { lan });
  });

addSignInCommands(program);
addPeopleCommands(program);
addMoneyCommands(program);
addMonthCommands(program);
addFiguresCommand(program);
addFindCommand(program);
addCustomerCommands(program);
addCustomerChangeCommands(program);
addOverviewCommand(program);
addQueueCommand(program);
addDisputeCommands(program);
addPromoCommands(program);
addRefundRequestCommands(program);
addCaseCommands(program);
addApprovalCommands(program);
addBreakerCommands(program);
addCallerNumberCommands(program);
addDeckCommands(program);
addDatabaseCommands(program);
addRestoreCommands(program);
addSettingCommands(program);
addCallCommands(program);
addAccountCommands(program);
addDoctorCommand(program);
addKeysCommand(program);
addTelnyxCommands(program);

addCommonOptions(program);
refuseUnknownCommands(program);

// A reader such as `head` may close the pipe early; the command still finishes what it does.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});
await program.parseAsync();
