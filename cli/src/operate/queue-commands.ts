import { queueKinds } from "@farline/contract/constants.ts";
import type { QueueKind, QueueOrder } from "@farline/contract/operator/queue.ts";
import { countQueue, readQueue } from "@farline/server/queue/queue.ts";
import { formatDollars } from "@farline/domain/money.ts";
import { printableLine } from "@farline/domain/clean-text.ts";
import { type Command, Option } from "commander";
import { countOf, run, show } from "./commands.ts";
import { withContext } from "./open-context.ts";

const MAX_SHOWN = 100;
const PREVIEW_CHARACTERS = 100;

interface QueueOptions {
  readonly kind?: QueueKind;
  readonly order: QueueOrder;
}

export function addQueueCommand(program: Command): void {
  program
    .command("queue")
    .description(
      "what waits for an operator: questions, refund requests, proposals, frozen accounts, disputes, refunds that wait",
    )
    .addOption(new Option("--kind <kind>", "only this kind").choices(queueKinds))
    .addOption(
      new Option("--order <order>", "what is due first, or the most money first").choices(["due", "money"]).default("due"),
    )
    .action(run(list));
}

async function list({ kind, order }: QueueOptions): Promise<void> {
  const { rows, counts } = await withContext(process.env, async (ctx) => ({
    rows: (await readQueue(ctx, { kind, order, limit: MAX_SHOWN })).rows,
    counts: (await countQueue(ctx)).filter((one) => kind === undefined || one.kind === kind),
  }));
  const total = counts.reduce((sum, { waiting }) => sum + waiting, 0);
  show({ queue: rows.map(({ rank: _rank, key: _key, ...row }) => row), counts, total }, [
    ...rows.map((row) => {
      const amount = row.amount_micros === null ? "" : `  $${formatDollars(row.amount_micros)}`;
      const customer = row.email === null ? "" : `  ${printableLine(row.email)}`;
      const text = row.text === "" ? "" : `\n  "${printableLine(row.text).slice(0, PREVIEW_CHARACTERS)}"`;
      return `${row.kind}  ${row.id}  due ${row.due.toISOString()}${amount}${customer}  ${printableLine(row.title)}${text}`;
    }),
    total === 0 ? "Nothing waits for an operator." : `${countOf(rows, total)} ${total === 1 ? "waits" : "wait"} for an operator.`,
  ]);
}
