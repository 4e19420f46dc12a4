import { countText } from "@farline/contract/operator/words/count-text.ts";
import type { OperatorCallResponse } from "@farline/contract/operator/calls.ts";
import { noAttemptsText } from "@farline/contract/operator/constants.ts";
import { sumText, dollarText, ledgerKindWords, movementText } from "@farline/contract/operator/words/money-words.ts";
import {
  eventWords,
  q850Text,
  sipText,
  attemptWords,
  boundWords,
  callEventWords,
  callStatusWords,
  decisionInputText,
  decisionInputWords,
  destinationWords,
  endWords,
  holdWords,
  legWords,
  soundRatingWords,
  soundText,
  sourceWords,
  spanWords,
  talkedWords,
} from "@farline/contract/operator/words/call-words.ts";
import { wordFor } from "@farline/contract/operator/words/words.ts";
import type { LiveCall, LiveCallsResponse } from "@farline/contract/operator/live-calls.ts";
import { printableLine } from "@farline/domain/text/clean-text.ts";
import { type Command, Option } from "commander";
import { ask } from "../client/service.ts";
import { CommandError, reasoned, run, show, type Reasoned } from "../command.ts";
import { operate, operationCommand } from "./operation.ts";

interface Which {
  readonly customer?: string;
  readonly prefix?: string;
}

/** Adds the commands for calls, and for the numbers that customers show. */
export function addCallCommands(program: Command): void {
  program
    .command("call <call>")
    .description("a call: its price, decision, events, legs, attempts by trunk, hold, postings, sound and margin")
    .action(
      run(async (id: string) => {
        const found = await ask("GET /api/operator/calls/:id", { params: { id } });
        show(found, recordLines(found).map(printableLine));
      }),
    );
  const calls = program.command("calls").description("calls of this moment");
  which(calls.command("live", { isDefault: true }).description("live calls, ringing ones too, newest first")).action(
    run(async ({ customer, prefix }: Which) => {
      const found = await readLive({ customer, prefix });
      show(found, liveLines(found));
    }),
  );
  which(reasoned(calls.command("hang-up [call]").description("hang up one call, all of a customer, or all to a prefix"))).action(
    run(async (call: string | undefined, { reason, customer, prefix }: Reasoned & Which) => {
      if ([call, customer, prefix].filter((one) => one !== undefined).length !== 1)
        throw new CommandError("Name a call, or --customer, or --prefix.");
      await operate("hang-up", undefined, { call, customer, prefix, reason });
    }),
  );
  operationCommand(calls, "settle-lost-exchange", "settle-lost <exchange>", {
    description: "settle the calls of an exchange that never comes back, each at its last proof of life",
  });
  const numbers = program.command("caller-number").description("customers' numbers that are shown as caller id");
  operationCommand(numbers, "block-caller-number", "block <number>", {
    description: "remove a number from its account, and prevent its being added",
  });
  operationCommand(numbers, "unblock-caller-number", "unblock <number>", { description: "allow a number to be added again" });
}

function which(command: Command): Command {
  return command
    .addOption(new Option("--customer <customer>", "of a customer (id or email address)").conflicts("prefix"))
    .option("--prefix <digits>", "to numbers that begin with these digits");
}

/** More lines than one person reads. */
const MAX_LIVE_LINES = 2_000;

/** The live calls, part by part. */
async function readLive(which: Which): Promise<LiveCallsResponse> {
  const read = (offset: number) => ask("GET /api/operator/calls/live", { query: { ...which, offset } });
  const first = await read(0);
  const calls = [...first.calls];
  while (calls.length < Math.min(first.matching, MAX_LIVE_LINES)) {
    const { calls: more } = await read(calls.length);
    if (more.length === 0) break;
    calls.push(...more);
  }
  return { ...first, calls };
}

function liveLines({ calls, matching }: LiveCallsResponse): string[] {
  if (calls.length === 0) return ["There is no live call."];
  const shown = calls.length < matching ? `${calls.length} of ` : "";
  return [...calls.map(liveLine), `${shown}${countText(matching, "live call")}`];
}

function liveLine(call: LiveCall): string {
  const facts = [
    call.id,
    call.ending ? `${callStatusWords[call.status]}, ending` : callStatusWords[call.status],
    `since ${call.since}`,
    call.destination,
    `$${call.rate_per_minute} a minute`,
    `so far ${sumText(call.charge)}`,
    ...(call.margin === null ? [] : [`margin ${sumText(call.margin)}`]),
    `left ${sumText(call.credit_left)}`,
    ...(call.trunk === null ? [] : [`trunk ${call.trunk}`]),
    ...(call.exchange === null ? [] : [`exchange ${call.exchange}`]),
    ...(call.mos === null ? [] : [soundText(call.mos)]),
    call.email,
  ];
  return printableLine(facts.join("  "));
}

function recordLines(found: OperatorCallResponse): string[] {
  const { call, price, trunk, attempts, cost, margin } = found;
  const noAttempts = noAttemptsText(found);
  return [
    `Call ${call.id} of ${call.email}, customer ${call.customer_id}`,
    `To ${call.destination}, ${destinationWords(call.country_code, call.number_type)}, shown as ${call.caller_number ?? "-"}`,
    endWords(call),
    `Requested ${call.created_at}, answered ${call.answered_at ?? "-"}, ended ${call.ended_at ?? "-"}`,
    `Price $${price.rate_per_minute} a minute, ${price.first_interval_s}/${price.next_interval_s} s, prefix ${price.prefix} of deck ${price.deck_id}`,
    `Charged ${dollarText(call.charge)} for ${talkedWords(call.billed_seconds, call.duration_ms)}`,
    `Trunk ${trunk ?? "unknown"}, cost ${dollars(cost)}, margin ${dollars(margin)}`,
    ...attempts.map(attemptLine),
    ...(noAttempts === null ? [] : [`  ${noAttempts}`]),
    ...decisionLines(found),
    ...moneyLines(found),
    ...found.legs.map(({ leg, control_id: controlId }) => `Id of the ${wordFor(legWords, leg)}: ${controlId}`),
    ...ladderLines(found),
    ...soundLines(found),
  ];
}

function attemptLine(attempt: OperatorCallResponse["attempts"][number], index: number): string {
  const { trunk, started_at: startedAt, duration_ms: durationMs, sip_status: status, q850_cause: cause, outcome } = attempt;
  const said = [sipText(status), ...(cause === null ? [] : [q850Text(cause)])].join("; ");
  return `  ${index + 1}. ${trunk}: ${wordFor(attemptWords, outcome)} after ${durationMs} ms (${said}), ${startedAt}`;
}

function decisionLines({ decision }: OperatorCallResponse): string[] {
  const inputs = Object.entries(decision.inputs ?? {}).flatMap(([name, value]) =>
    value === null ? [] : [`${wordFor(decisionInputWords, name)}: ${decisionInputText(name, value)}`],
  );
  return [
    `Allowed ${dollarText(decision.held)} and ${spanWords(decision.cap_seconds)}, bounded by: ${wordFor(boundWords, decision.bounded_by)}`,
    ...(inputs.length === 0 ? [] : [`  decided by ${inputs.join(", ")}`]),
  ];
}

function moneyLines({ hold, postings }: OperatorCallResponse): string[] {
  return [
    ...(hold === null ? [] : [`Hold of ${dollarText(hold.amount)} since ${hold.created_at}: ${wordFor(holdWords, hold.state)}`]),
    ...postings.map(
      ({ created_at: at, kind, amount, balance_after: after }) =>
        `  ${at}  ${wordFor(ledgerKindWords, kind)}  ${movementText(amount)}, then ${sumText(after)}`,
    ),
  ];
}

function ladderLines({ ladder }: OperatorCallResponse): string[] {
  return ladder.map(({ at, received_at: receivedAt, source, kind, leg, detail }) => {
    const lateMs = Date.parse(receivedAt) - Date.parse(at);
    const said = eventWords(detail)
      .map(({ name, text }) => `${name} ${text}`)
      .join(", ");
    return [
      `  ${at}`,
      `+${lateMs} ms`,
      wordFor(sourceWords, source),
      wordFor(callEventWords, kind),
      leg && wordFor(legWords, leg),
      said,
    ]
      .filter((part) => part !== null && part !== "")
      .join("  ");
  });
}

function soundLines({ quality }: OperatorCallResponse): string[] {
  const { samples, from_caller: caller, from_called: called, rating } = quality;
  const heard = (side: typeof caller) =>
    side === null ? "unknown" : `${side.packets} packets${side.mos === null ? "" : `, ${soundText(side.mos)}`}`;
  return [
    ...(caller === null && called === null ? [] : [`Heard from the caller: ${heard(caller)}; from the called: ${heard(called)}`]),
    ...(rating === null ? [] : [`Rated by the caller: ${soundRatingWords[rating]}`]),
    ...samples.map(
      ({ t, mos, rttMs, jitterMs, lossPct }) =>
        `  after ${t} s: ${soundText(mos)}, round trip ${rttMs ?? "-"} ms, jitter ${jitterMs} ms, loss ${lossPct} %`,
    ),
  ];
}

function dollars(amount: string | null): string {
  return amount === null ? "unknown" : dollarText(amount);
}
