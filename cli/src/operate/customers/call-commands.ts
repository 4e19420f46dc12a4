import type { OperatorCallResponse } from "@farline/contract/operator/calls.ts";
import { noAttemptsText } from "@farline/contract/operator/constants.ts";
import { printableLine } from "@farline/domain/clean-text.ts";
import { readCallForOperator } from "@farline/server/calls/calls.ts";
import { addLiveCallCommands } from "./live-call-commands.ts";
import type { Command } from "commander";
import { run, show } from "../commands.ts";
import { asOperator } from "../open-context.ts";

export function addCallCommands(program: Command): void {
  program
    .command("call <call>")
    .description("a call: its price, decision, events, legs, attempts by trunk, hold, postings, sound and margin")
    .action(
      run(async (call: string) => {
        const found = await asOperator(process.env, "read-customers", (ctx) => readCallForOperator(ctx, { call }));
        show(found, recordLines(found).map(printableLine));
      }),
    );
  addLiveCallCommands(program.command("calls").description("calls of this moment"));
}

function recordLines(found: OperatorCallResponse): string[] {
  const { call, price, trunk, attempts, cost, margin } = found;
  const noAttempts = noAttemptsText(found);
  return [
    `Call ${call.id} of ${call.email}, customer ${call.customer_id}`,
    `To ${call.destination}, ${call.country_code} ${call.number_type}, shown as ${call.caller_number ?? "-"}`,
    `Status ${[call.status, call.end_reason, call.hung_up_by && `by ${call.hung_up_by}`].filter((one) => one !== null).join(", ")}`,
    `Requested ${call.created_at}, answered ${call.answered_at ?? "-"}, ended ${call.ended_at ?? "-"}`,
    `Price $${price.rate_per_minute} a minute, ${price.first_interval_s}/${price.next_interval_s} s, prefix ${price.prefix} of deck ${price.deck_id}`,
    `Lasted ${(call.duration_ms / 1000).toFixed(1)} s, charged ${call.billed_seconds} s: $${call.charge}`,
    `Trunk ${trunk ?? "unknown"}, cost ${dollars(cost)}, margin ${dollars(margin)}`,
    ...attempts.map(attemptLine),
    ...(noAttempts === null ? [] : [`  ${noAttempts}`]),
    ...decisionLines(found),
    ...moneyLines(found),
    ...found.legs.map(({ leg, control_id: controlId }) => `Leg ${leg} ${controlId}`),
    ...ladderLines(found),
    ...soundLines(found),
  ];
}

function attemptLine(attempt: OperatorCallResponse["attempts"][number], index: number): string {
  const { trunk, started_at: startedAt, duration_ms: durationMs, sip_status: status, q850_cause: cause, outcome } = attempt;
  const said = [status === null ? "no response" : `SIP ${status}`, ...(cause === null ? [] : [`Q.850 ${cause}`])].join(", ");
  return `  ${index + 1}. ${trunk}: ${outcome} after ${durationMs} ms (${said}), ${startedAt}`;
}

function decisionLines({ decision }: OperatorCallResponse): string[] {
  const inputs = Object.entries(decision.inputs ?? {}).filter(([, value]) => value !== null);
  return [
    `Allowed $${decision.held} and ${decision.cap_seconds} s, bounded by ${decision.bounded_by}`,
    ...(inputs.length === 0 ? [] : [`  decided by ${inputs.map(([name, value]) => `${name} ${value}`).join(", ")}`]),
  ];
}

function moneyLines({ hold, postings }: OperatorCallResponse): string[] {
  return [
    ...(hold === null ? [] : [`Hold ${hold.state}: $${hold.amount} since ${hold.created_at}`]),
    ...postings.map(({ created_at: at, kind, amount, balance_after: after }) => `  ${at}  ${kind}  $${amount}, then $${after}`),
  ];
}

function ladderLines({ ladder }: OperatorCallResponse): string[] {
  return ladder.map(({ at, received_at: receivedAt, source, kind, leg, detail }) => {
    const lateMs = Date.parse(receivedAt) - Date.parse(at);
    return [`  ${at}`, `+${lateMs} ms`, source, leg, kind, detail].filter((part) => part !== null && part !== "").join("  ");
  });
}

function soundLines({ quality }: OperatorCallResponse): string[] {
  const { samples, from_caller: caller, from_called: called } = quality;
  const heard = (side: typeof caller) => (side === null ? "unknown" : `${side.packets} packets, MOS ${side.mos ?? "unknown"}`);
  return [
    ...(caller === null && called === null ? [] : [`Heard from the caller: ${heard(caller)}; from the called: ${heard(called)}`]),
    ...samples.map(
      ({ t, mos, rttMs, jitterMs, lossPct }) =>
        `  after ${t} s: MOS ${mos}, round trip ${rttMs ?? "-"} ms, jitter ${jitterMs} ms, loss ${lossPct} %`,
    ),
  ];
}

function dollars(amount: string | null): string {
  return amount === null ? "unknown" : `$${amount}`;
}
