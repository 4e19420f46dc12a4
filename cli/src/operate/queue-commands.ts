import { queueKinds } from "@farline/contract/constants.ts";
import type { SupportCaseResponse } from "@farline/contract/operator/business.ts";
import { declarationOf, operationNames } from "@farline/contract/operator/operations.ts";
import { dollarText } from "@farline/contract/operator/words/money-words.ts";
import { actionWords, detailWords, subjectWords } from "@farline/contract/operator/words/audit-words.ts";
import { queueWords } from "@farline/contract/operator/words/timeline-words.ts";
import { endReasonWords, soundText, talkedWords } from "@farline/contract/operator/words/call-words.ts";
import { caseStateWords, topicWords, wordFor } from "@farline/contract/operator/words/words.ts";
import type { QueueItem, QueueKind, QueueOrder } from "@farline/contract/operator/queue.ts";
import { printableLine } from "@farline/domain/text/clean-text.ts";
import { type Command, Option } from "commander";
import { writeFile } from "node:fs/promises";
import { ask } from "../client/service.ts";
import { print, reasoned, run, show, type Reasoned } from "../command.ts";
import { refundText } from "./customer-change-commands.ts";
import { operate, operationCommand } from "./operation.ts";

const MAX_SHOWN = 100;
const PREVIEW_CHARACTERS = 100;

/** Adds the commands for what waits for an operator: the queue, and each kind of it. */
export function addQueueCommands(program: Command): void {
  program
    .command("queue")
    .description("what waits for an operator: questions, refund requests, proposals, frozen accounts, disputes, pending refunds")
    .addOption(new Option("--kind <kind>", "only this kind").choices(queueKinds))
    .addOption(
      new Option("--order <order>", "what is due first, or the most money first").choices(["due", "money"]).default("due"),
    )
    .action(
      run(async ({ kind, order }: { kind?: QueueKind; order: QueueOrder }) => {
        const { items, counts, total } = await readQueue(kind, order);
        show({ queue: items, counts, total }, [...items.map(queueLine), countLine(items, total)]);
      }),
    );
  addApprovalCommands(program.command("approvals").description("proposals that wait for a second operator"));
  addCaseCommands(program.command("cases").description("questions of customers"));
  addRefundRequestCommands(program.command("refund-requests").description("customers' requests to refund calls"));
  addDisputeCommands(program.command("disputes").description("customers' bank disputes; `queue --kind dispute` lists them"));
  addReviewCommands(program.command("reviews").description("accounts that the service froze; `queue --kind review` lists them"));
}

/** The first of what waits, and how much there is of each kind. */
async function readQueue(kind: QueueKind | undefined, order: QueueOrder) {
  const [{ items }, { counts: all }] = await Promise.all([
    ask("GET /api/operator/queue", { query: { kind, order, limit: MAX_SHOWN } }),
    ask("GET /api/operator/queue/counts"),
  ]);
  const counts = all.filter((one) => kind === undefined || one.kind === kind);
  return { items, counts, total: counts.reduce((sum, { waiting }) => sum + waiting, 0) };
}

/** Adds the command that lists one kind of what waits, as entries of `key` in JSON. */
function listCommand(parent: Command, kind: QueueKind, { key, description }: { key: string; description: string }): void {
  parent
    .command("list", { isDefault: true })
    .description(description)
    .action(
      run(async () => {
        const { items, total } = await readQueue(kind, "due");
        show({ [key]: items, total }, [...items.map(queueLine), countLine(items, total)]);
      }),
    );
}

/** What the commands call the id of each kind. */
const ID_NAMES: Readonly<Record<QueueKind, string>> = {
  question: "case",
  refund_request: "call",
  approval: "proposal",
  review: "customer",
  dispute: "dispute",
  slow_refund: "refund",
};

function queueLine(item: QueueItem): string {
  const { kind, id, due_at: due, amount, customer, text, approval } = item;
  const { title, note } = queueWords(item);
  const money = amount === null ? "" : dollarText(amount);
  const facts = [title, note, `due ${due}`, money, customer?.email ?? "", `${ID_NAMES[kind]} ${id}`];
  const line = printableLine(facts.filter((fact) => fact !== "").join("  "));
  if (approval !== null) return `${line}\n  ${approvalText(approval)}`;
  const says = kind === "refund_request" ? `\n  ${printableLine(callText(item.facts))}` : "";
  return `${line}${text === "" ? "" : `\n  "${printableLine(text).slice(0, PREVIEW_CHARACTERS)}"`}${says}`;
}

/** The call whose refund is requested, and what the exchange heard of it. */
function callText(facts: QueueItem["facts"]): string {
  const heard = (side: string, packets: number | undefined) => (packets === undefined ? [] : [`${packets} packets from ${side}`]);
  return [
    `Call to ${facts.number}`,
    talkedWords(facts.billed_seconds ?? 0, facts.duration_ms ?? 0),
    ...(facts.end_reason === undefined ? [] : [wordFor(endReasonWords, facts.end_reason)]),
    ...heard("the caller", facts.packets_from_caller),
    ...heard("the called", facts.packets_from_called),
    ...(facts.mos === undefined ? [] : [soundText(facts.mos)]),
  ].join(", ");
}

/** What would be done, why a second operator must confirm it, and who proposed it. */
function approvalText({ action, subject, detail, reason, proposed_by: by, proposed_at: at }: NonNullable<QueueItem["approval"]>) {
  const { why, ...change } = detail;
  const what = detailWords(change).map(({ name, text, at: time }) => `${name} ${time ?? text}`);
  return [
    [actionWords(action), subjectWords(action, subject) ?? (subject === null ? "" : `id ${subject}`), what.join(", ")]
      .filter((part) => part !== "")
      .join("  "),
    ...(typeof why === "string" ? [why] : []),
    `${by.name}, ${at}: ${reason}`,
  ]
    .map(printableLine)
    .join("\n  ");
}

function countLine({ length }: readonly QueueItem[], total: number): string {
  if (total === 0) return "Nothing is waiting for an operator.";
  return `${length === total ? total : `${length} of ${total}`} ${total === 1 ? "waits" : "wait"} for an operator.`;
}

function addApprovalCommands(approvals: Command): void {
  listCommand(approvals, "approval", { key: "proposals", description: "proposals that can be confirmed" });
  approvals.command("confirm <id>").description("carry out another operator's proposal").action(run(confirm));
  operationCommand(approvals, "reject-proposal", "reject <id>", {
    description: "end another operator's proposal without carrying it out",
  });
  operationCommand(approvals, "withdraw-proposal", "withdraw <id>", { description: "end your own proposal" });
}

async function confirm(id: string): Promise<void> {
  const { items } = await ask("GET /api/operator/queue", { query: { kind: "approval", order: "due", limit: MAX_SHOWN } });
  const proposal = items.find((one) => one.id === id)?.approval ?? null;
  const { failure } = await ask("POST /api/operator/approvals/:id/confirm", { params: { id } });
  const name = operationNames.find((one) => one === proposal?.action);
  if (name === "refund") return print(refundText(failure));
  const second = name === undefined ? null : declarationOf(name).second;
  print(second?.confirmed?.(proposal?.proposed_by.name ?? "its proposer") ?? "The proposal is carried out.");
}

function addCaseCommands(cases: Command): void {
  listCommand(cases, "question", { key: "cases", description: "open questions, oldest first" });
  cases
    .command("show <case>")
    .description("one question, with its customer, call or payment")
    .action(
      run(async (number: string) => {
        const found = await ask("GET /api/operator/cases/:number", { params: { number } });
        show({ case: found }, caseLines(found));
      }),
    );
  operationCommand(cases, "answer-case", "answer <case>", {
    description: "answer an open question; the customer gets a mail",
    options: { answer: ["--answer <text>", "what the customer reads"] },
    done: () => "The answer is on its way to the customer.",
  });
  operationCommand(cases, "close-case", "close <case>", {
    description: "close a question without sending a mail",
    done: () => "The question is closed.",
  });
}

function caseLines({ number, at, topic, state, customer, call, payment, message, answer }: SupportCaseResponse): string[] {
  const about = [
    ...(call === null ? [] : [`call ${call.id} to ${call.number ?? "?"}`]),
    ...(payment === null ? [] : [`payment ${payment.id} of ${dollarText(payment.amount)}`]),
  ];
  const indented = (text: string) => text.split("\n").map((line) => `  ${printableLine(line)}`);
  return [
    printableLine([`Question ${number}`, topicWords[topic], caseStateWords[state], at, customer.email, ...about].join("  ")),
    `customer ${customer.id}`,
    ...indented(message),
    ...(answer === null ? [] : [`answered ${answer.at}`, ...indented(answer.text)]),
  ];
}

function addRefundRequestCommands(requests: Command): void {
  listCommand(requests, "refund_request", { key: "requests", description: "open requests, with the data of the call" });
  requests
    .command("grant <call>")
    .description("refund the whole charge of the call")
    .option("--answer <text>", "what the customer reads about it")
    .action(
      run((call: string, { answer = null }: { answer?: string | null }) =>
        operate("refund-call", call, { answer, reason: null }),
      ),
    );
  operationCommand(requests, "decline-call-refund", "decline <call>", {
    description: "refuse the refund",
    options: { answer: ["--answer <text>", "why: the customer reads it"] },
    done: () => "The request was declined.",
  });
}

function addDisputeCommands(disputes: Command): void {
  reasoned(disputes.command("evidence <dispute>").description("write what the bank needs to know to a CSV file; it is recorded"))
    .requiredOption("--file <path>", "where to write it")
    .action(
      run(async (id: string, { file, reason }: Reasoned & { file: string }) => {
        const { csv } = await ask("POST /api/operator/disputes/:id/evidence", { params: { id }, body: { reason } });
        await writeFile(file, csv, { mode: 0o600 });
        print(`The evidence is in ${file}.`);
      }),
    );
  operationCommand(disputes, "handle-dispute", "handled <dispute>", {
    description: "say what was done about a dispute at the payment provider",
    options: { as: ["--as <what>", "what was done"] },
  });
}

function addReviewCommands(reviews: Command): void {
  reasoned(reviews.command("unfreeze <customer>").description("unfreeze the account: the customer is legitimate")).action(
    run((customer: string, { reason }: Reasoned) => operate("unfreeze", customer, { ofReview: true, reason })),
  );
  operationCommand(reviews, "keep-frozen", "keep <customer>", { description: "keep the account frozen" });
}
