import type { QueueCount } from "@farline/contract/operator/queue.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import type { Context } from "../context.ts";
import { countQueue } from "./read-queue.ts";

/** How much of each kind waits, of the kinds that the operator may answer. */
export async function presentQueueCounts(ctx: Context): Promise<QueueCount[]> {
  return (await countQueue(ctx)).map(({ kind, waiting, oldest, due, amount_micros: amount }) => ({
    kind,
    waiting,
    oldest: oldest?.toISOString() ?? null,
    due_at: due?.toISOString() ?? null,
    amount: toDecimalString(amount),
  }));
}
