import { blockCallerNumber, unblockCallerNumber } from "@farline/server/calls/calls.ts";
import type { Command } from "commander";
import { reasoned, run, print, type Reasoned } from "./commands.ts";
import { asOperator } from "./open-context.ts";

/** Adds the commands that remove and block caller ids whose owner objects. */
export function addCallerNumberCommands(program: Command): void {
  const numbers = program.command("caller-number").description("customers' numbers that are shown as caller id");
  reasoned(numbers.command("block <number>").description("remove a number from its account, and prevent its being added")).action(
    run(async (number: string, { reason }: Reasoned) => {
      const { wasShown, wasBlocked } = await asOperator(process.env, "restrict", (ctx) =>
        blockCallerNumber(ctx, { number, reason }),
      );
      print(wasShown ? "The number is removed. Its account is notified by mail." : "No account had this number.");
      print(wasBlocked ? "It was already blocked." : "No account can add it.");
    }),
  );
  reasoned(numbers.command("unblock <number>").description("allow a number to be added again")).action(
    run(async (number: string, { reason }: Reasoned) => {
      const was = await asOperator(process.env, "release", (ctx) => unblockCallerNumber(ctx, { number, reason }));
      print(was ? "The number can be added again." : "The number was not blocked.");
    }),
  );
}
