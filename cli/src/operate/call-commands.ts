import { readCallRecord, type CallRecord, type TrunkAttempt } from "@farline/server/calls/calls.ts";
import { formatDollars } from "@farline/domain/money.ts";
import { printableLine } from "@farline/domain/clean-text.ts";
import type { Command } from "commander";
import { run, print } from "./commands.ts";
import { withContext } from "./open-context.ts";

export function addCallCommands(program: Command): void {
  const calls = program.command("calls").description("records of calls");
  calls
    .command("show <call>")
    .description("the record of a call: price, charge, trunk, and every attempt to connect it")
    .action(
      run(async (id: string) => {
        for (const line of recordLines(await withContext(process.env, (ctx) => readCallRecord(ctx, id)))) print(line);
      }),
    );
}

function recordLines({ call, marginMicros }: CallRecord): string[] {
  const seconds = (call.duration_ms / 1000).toFixed(1);
  return [
    `Call ${call.id} of customer ${call.customer_id}`,
    `To ${call.destination}, ${call.country_code} ${call.number_type}, shown as ${call.caller_number ?? "-"}`,
    `Status ${call.status}${call.end_reason === null ? "" : `, ${call.end_reason}`}`,
    `Requested ${time(call.created_at)}, answered ${time(call.answered_at)}, ended ${time(call.ended_at)}`,
    `Price $${formatDollars(call.rate_per_minute_micros, 6)} a minute, ${call.first_interval_seconds}/${call.next_interval_seconds} s, prefix ${call.rate_prefix} of deck ${call.deck_id}`,
    `Lasted ${seconds} s, charged ${call.billed_seconds} s: $${formatDollars(call.charge_micros, 6)}`,
    `Trunk ${call.trunk === null ? "unknown" : printableLine(call.trunk)}, cost ${dollars(call.carrier_cost_micros)}, margin ${dollars(marginMicros)}`,
    ...(call.trunk_attempts ?? []).map(attemptLine),
  ];
}

function attemptLine(attempt: TrunkAttempt, index: number): string {
  const { trunk, started_at: startedAt, duration_ms: durationMs, sip_status: status, q850_cause: cause, outcome } = attempt;
  const said = [status === null ? "no response" : `SIP ${status}`, ...(cause === null ? [] : [`Q.850 ${cause}`])].join(", ");
  return `  ${index + 1}. ${printableLine(trunk)}: ${outcome} after ${durationMs} ms (${said}), ${startedAt}`;
}

function dollars(micros: bigint | null): string {
  return micros === null ? "unknown" : `$${formatDollars(micros, 6)}`;
}

function time(at: Date | null): string {
  return at?.toISOString() ?? "-";
}
