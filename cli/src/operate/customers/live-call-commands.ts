import type { LiveCall, LiveCallsResponse } from "@farline/contract/operator/live-calls.ts";
import { printableLine } from "@farline/domain/clean-text.ts";
import { readLiveCalls, settleLostExchange } from "@farline/server/calls/calls.ts";
import { type Command, Option } from "commander";
import { reasoned, run, print, show, type Reasoned } from "../commands.ts";
import { CommandError } from "../installation.ts";
import { asOperator } from "../open-context.ts";
import { operate } from "../operate.ts";

interface Which {
  readonly customer?: string;
  readonly prefix?: string;
}

/** Adds the commands for calls that are running, to the command `calls`. */
export function addLiveCallCommands(calls: Command): void {
  which(calls.command("live", { isDefault: true }).description("live calls, ringing ones too, newest first")).action(
    run(async ({ customer, prefix }: Which) => {
      const found = await asOperator(process.env, "read-customers", (ctx) => readLiveCalls(ctx, { customer, prefix }));
      show(found, liveLines(found));
    }),
  );
  which(reasoned(calls.command("hang-up [call]").description("hang up one call, all of a customer, or all to a prefix"))).action(
    run(async (call: string | undefined, { reason, customer, prefix }: Reasoned & Which) => {
      if ([call, customer, prefix].filter((one) => one !== undefined).length !== 1)
        throw new CommandError("Name a call, or --customer, or --prefix.");
      await operate("hang-up", { call, customer, prefix, reason });
    }),
  );
  reasoned(
    calls
      .command("settle-lost <exchange>")
      .description("settle the calls of an exchange that never comes back, each at its last proof of life"),
  ).action(
    run(async (exchange: string, { reason }: Reasoned) => {
      const settled = await asOperator(process.env, "restrict", (ctx) => settleLostExchange(ctx, { exchange, reason }));
      print(
        settled === 0 ? `The exchange ${exchange} has no live call.` : `${counted(settled)} settled. The callers can call again.`,
      );
    }),
  );
}

function which(command: Command): Command {
  return command
    .addOption(new Option("--customer <customer>", "of a customer (id or email address)").conflicts("prefix"))
    .option("--prefix <digits>", "to numbers that begin with these digits");
}

function counted(calls: number): string {
  return calls === 1 ? "1 call is" : `${calls} calls are`;
}

function liveLines({ calls, more }: LiveCallsResponse): string[] {
  if (calls.length === 0) return ["There is no live call."];
  return [
    ...calls.map(liveLine),
    more ? `More than ${calls.length} live calls` : calls.length === 1 ? "1 live call" : `${calls.length} live calls`,
  ];
}

function liveLine(call: LiveCall): string {
  const facts = [
    call.id,
    call.ending ? `${call.status}, ending` : call.status,
    `since ${call.since}`,
    call.destination,
    `$${call.rate_per_minute}/min`,
    `so far $${call.charge}`,
    ...(call.margin === null ? [] : [`margin $${call.margin}`]),
    `left $${call.credit_left}`,
    ...(call.trunk === null ? [] : [`trunk ${call.trunk}`]),
    ...(call.exchange === null ? [] : [`exchange ${call.exchange}`]),
    ...(call.mos === null ? [] : [`MOS ${call.mos.toFixed(1)}`]),
    call.email,
  ];
  return printableLine(facts.join("  "));
}
