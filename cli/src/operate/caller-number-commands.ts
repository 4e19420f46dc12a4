import { blockCallerNumber, unblockCallerNumber } from "@farline/server/calls/calls.ts";
import type { Command } from "commander";
import { reasoned, run, say, type Reasoned } from "./commands.ts";
import { withDependencies } from "./open-dependencies.ts";

/** Adds the commands for numbers that calls show and somebody objects to. */
export function addCallerNumberCommands(program: Command): void {
  const numbers = program.command("caller-number").description("numbers of customers that calls show");
  reasoned(numbers.command("block <number>").description("take a number away from its account, and let nobody add it")).action(
    run(async (number: string, { reason, by }: Reasoned) => {
      const { wasShown, wasBlocked } = await withDependencies(process.env, (deps) =>
        blockCallerNumber(deps, { number, reason, operator: by }),
      );
      say(wasShown ? "The number is removed. Its account is told by mail." : "No account had this number.");
      say(wasBlocked ? "It was blocked before." : "Nobody can add it now.");
    }),
  );
  reasoned(numbers.command("unblock <number>").description("let a number be added again")).action(
    run(async (number: string, { reason, by }: Reasoned) => {
      const was = await withDependencies(process.env, (deps) => unblockCallerNumber(deps, { number, reason, operator: by }));
      say(was ? "The number can be added again." : "The number was not blocked.");
    }),
  );
}
