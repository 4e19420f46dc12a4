import { queueKinds } from "@farline/contract/constants.ts";
import type { QueueKind, QueueOrder, QueueCount } from "@farline/contract/operator/queue.ts";
import { hasRight, type OperatorRight } from "@farline/contract/operator/rights.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import type { Context } from "../context.ts";
import { decidableActions } from "../operator/operator.ts";
import { pageOf, readCursor } from "../platform/read-cursor.ts";
import {
  countQueueRows,
  readQueueRows,
  type QueueCountRow,
  type QueuePosition,
  type QueueRow,
  type QueueView,
} from "./queue.store.ts";

/** After this time a customer has waited too long. A frozen account stops a customer's calls, so it is more urgent. */
const TIMES = { questionMs: DAY_MS, refundRequestMs: DAY_MS, reviewMs: DAY_MS / 6 } as const;

/** What answering a kind takes. Proposals have rights of their own. */
const RIGHTS: Readonly<Record<Exclude<QueueKind, "approval">, OperatorRight>> = {
  question: "answer-cases",
  refund_request: "refund",
  review: "release",
  dispute: "disputes",
  slow_refund: "refund",
};
/** The number fits a bigint. */
const CURSOR = /^(-?\d{1,18})~([a-z_]{1,20}:.{1,255})$/;

export interface QueuePage {
  readonly rows: readonly QueueRow[];
  readonly nextCursor: string | null;
}

/**
 * A page of what waits for an operator, of the kinds that they may answer; a reader without a role sees everything.
 * @throws AppError malformed_request for an invalid cursor
 */
export async function readQueue(
  ctx: Context,
  query: {
    kind?: QueueKind | undefined;
    id?: string | undefined;
    order: QueueOrder;
    cursor?: string | undefined;
    limit: number;
  },
): Promise<QueuePage> {
  const after = readCursor(query.cursor, CURSOR, (rank, key): QueuePosition => ({ rank, key }));
  const view = viewOf(ctx);
  const kinds = view.kinds.filter((kind) => query.kind === undefined || kind === query.kind);
  if (kinds.length === 0) return { rows: [], nextCursor: null };
  const page = { order: query.order, after, id: query.id ?? null, limit: query.limit + 1 };
  const found = await readQueueRows(ctx.handle.db, { ...view, kinds, times: TIMES }, page);
  const { shown, next } = pageOf(found, query.limit, ({ rank, key }) => `${rank}~${key}`);
  return { rows: shown, nextCursor: next };
}

/** How much of each kind waits. */
export function countQueue(ctx: Context): Promise<QueueCountRow[]> {
  return countQueueRows(ctx.handle.db, { ...viewOf(ctx), times: TIMES });
}

function viewOf({ actor, clock }: Context): QueueView {
  const now = clock.now();
  if (actor.kind !== "operator") return { kinds: queueKinds, actions: decidableActions("admin"), operatorId: null, now };
  const kinds = queueKinds.filter((kind) => kind === "approval" || hasRight(actor.role, RIGHTS[kind]));
  return { kinds, actions: decidableActions(actor.role), operatorId: actor.id, now };
}

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
