import { countCases, openCases, findCase, type QueuedCase } from "@farline/server/cases/cases.ts";
import { formatDollars } from "@farline/domain/money.ts";
import { printableLine } from "@farline/domain/clean-text.ts";
import type { Command } from "commander";
import { countOf, reasoned, run, show, type Reasoned } from "./commands.ts";
import { withContext } from "./open-context.ts";
import { operate } from "./operate.ts";

const PREVIEW_CHARACTERS = 100;

export function addCaseCommands(program: Command): void {
  const cases = program.command("cases").description("questions of customers");
  cases.command("list", { isDefault: true }).description("open questions, oldest first").action(run(list));
  cases.command("show <case>").description("one question, with its customer, call or payment").action(run(showCase));
  cases
    .command("answer <case>")
    .description("answer an open question; the customer gets a mail")
    .requiredOption("--answer <text>", "what the customer reads")
    .action(run((number: string, { answer }: { answer: string }) => operate("answer-case", { number, answer })));
  reasoned(cases.command("close <case>").description("close a question without sending a mail")).action(
    run((number: string, { reason }: Reasoned) => operate("close-case", { number, reason })),
  );
}

async function list(): Promise<void> {
  const [open, total] = await withContext(process.env, (ctx) => Promise.all([openCases(ctx), countCases(ctx)]));
  show({ cases: open, total }, [
    ...open.map((one) => `${headOf(one)}\n  "${printableLine(one.message).slice(0, PREVIEW_CHARACTERS)}"`),
    open.length === 0 ? "No question waits for an answer." : `${countOf(open, total)} wait for an answer.`,
  ]);
}

async function showCase(number: string): Promise<void> {
  const found = await withContext(process.env, (ctx) => findCase(ctx, number));
  show({ case: found }, [
    `${headOf(found)}  ${found.state}`,
    `customer ${found.customer_id}`,
    ...indented(found.message),
    ...(found.answer === null || found.answered_at === null
      ? []
      : [`answered ${found.answered_at.toISOString()}`, ...indented(found.answer)]),
  ]);
}

function indented(text: string): string[] {
  return text.split("\n").map((line) => `  ${printableLine(line)}`);
}

function headOf(one: QueuedCase): string {
  return `${one.number}  ${one.created_at.toISOString()}  ${one.topic}  ${printableLine(one.email)}${subjectOf(one)}`;
}

function subjectOf(one: QueuedCase): string {
  if (one.call_id !== null) return `  call ${one.call_id} to ${one.call_number ?? "?"}`;
  if (one.payment_id !== null) return `  payment ${one.payment_id} of $${formatDollars(one.payment_micros ?? 0n)}`;
  return "";
}
