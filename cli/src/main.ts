import { Command } from "commander";
import { startAll } from "./start/start-all.ts";

const program = new Command("farline").description("Commands for running and operating Farline.");

program
  .command("start", { isDefault: true })
  .description("start PostgreSQL, the sandbox, the exchange and the service, and keep them running")
  .action(async () => {
    process.exitCode = await startAll(process.env);
  });

await program.parseAsync();
