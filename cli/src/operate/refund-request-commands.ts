import { userInfo } from "node:os";
import { decideRefund, openRefundRequests, type OpenRefundRequest } from "@farline/server/calls/calls.ts";
import { formatDollars } from "@farline/domain/money.ts";
import { printableLine } from "@farline/domain/clean-text.ts";
import type { Command } from "commander";
import { run, say } from "./commands.ts";
import { withDependencies } from "./open-dependencies.ts";

interface Decision {
  readonly answer?: string;
  readonly by: string;
}

/** Adds the commands for callers' refund requests. */
export function addRefundRequestCommands(program: Command): void {
  const requests = program.command("refund-requests").description("calls whose charge a customer asks to have back");
  requests
    .command("list", { isDefault: true })
    .description("those that wait for a decision, with the data of the call")
    .action(run(list));
  requests
    .command("grant <call>")
    .description("give the whole charge of the call back")
    .option("--answer <text>", "what the customer reads about it")
    .option("--by <name>", "who; the name at this shell unless given", userInfo().username)
    .action(run((call: string, decision: Decision) => decide(call, true, decision)));
  requests
    .command("decline <call>")
    .description("give nothing back")
    .requiredOption("--answer <text>", "why: the customer reads it")
    .option("--by <name>", "who; the name at this shell unless given", userInfo().username)
    .action(run((call: string, decision: Decision) => decide(call, false, decision)));
}

async function list(): Promise<void> {
  const open = await withDependencies(process.env, (deps) => openRefundRequests(deps));
  for (const one of open) say(lineOf(one));
  say(open.length === 0 ? "No request waits for a decision." : `${open.length} wait for a decision.`);
}

function lineOf({ request, call }: OpenRefundRequest): string {
  const seconds = Math.ceil(call.duration_ms / 1000);
  const facts = `$${formatDollars(call.charge_micros, 6)} for ${seconds} s to ${call.destination}, ended by ${call.end_reason ?? "?"}`;
  const note = request.note === "" ? "" : `\n  "${printableLine(request.note)}"`;
  return `${call.id}  ${request.reason}  ${facts}${note}\n  ${JSON.stringify(request.evidence)}`;
}

async function decide(callId: string, grant: boolean, { answer, by }: Decision): Promise<void> {
  const made = await withDependencies(process.env, (deps) =>
    decideRefund(deps, callId, { grant, operator: by, answer: answer ?? null }),
  );
  say(grant ? `$${formatDollars(made.amount_micros, 6)} are back on the customer's account.` : "The request is declined.");
}
