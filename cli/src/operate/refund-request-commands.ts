import { countRefundRequests, openRefundRequests, type OpenRefundRequest } from "@farline/server/calls/calls.ts";
import { formatDollars } from "@farline/domain/money.ts";
import { printableLine } from "@farline/domain/clean-text.ts";
import type { Command } from "commander";
import { countOf, run, show } from "./commands.ts";
import { withContext } from "./open-context.ts";
import { operate } from "./operate.ts";

export function addRefundRequestCommands(program: Command): void {
  const requests = program.command("refund-requests").description("customers' requests to refund calls");
  requests.command("list", { isDefault: true }).description("open requests, with the data of the call").action(run(list));
  requests
    .command("grant <call>")
    .description("refund the whole charge of the call")
    .option("--answer <text>", "what the customer reads about it")
    .action(
      run((call: string, { answer = null }: { answer?: string | null }) =>
        operate("refund-call", { call, answer, reason: null }),
      ),
    );
  requests
    .command("decline <call>")
    .description("refuse the refund")
    .requiredOption("--answer <text>", "why: the customer reads it")
    .action(run((call: string, { answer }: { answer: string }) => operate("decline-call-refund", { call, answer })));
}

async function list(): Promise<void> {
  const [open, total] = await withContext(process.env, (ctx) => Promise.all([openRefundRequests(ctx), countRefundRequests(ctx)]));
  show({ requests: open, total }, [
    ...open.map(lineOf),
    open.length === 0 ? "No request waits for a decision." : `${countOf(open, total)} wait for a decision.`,
  ]);
}

function lineOf({ request, call }: OpenRefundRequest): string {
  const seconds = Math.ceil(call.duration_ms / 1000);
  const facts = `$${formatDollars(call.charge_micros, 6)} for ${seconds} s to ${call.destination}, ended by ${call.end_reason ?? "?"}`;
  const note = request.note === "" ? "" : `\n  "${printableLine(request.note)}"`;
  return `${call.id}  ${request.reason}  ${facts}${note}\n  ${JSON.stringify(request.evidence)}`;
}
