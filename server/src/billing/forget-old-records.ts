import { DAY_MS } from "@farline/domain/durations.ts";
import { deleteInBatches } from "../platform/database/in-batches.ts";
import { forgetUnfinishedSetups } from "./cards/card-setup.store.ts";
import { forgetDeclines } from "./limits/payer-history.store.ts";
import { deleteExpiredRequests } from "./credit-for-others/gift.store.ts";
import { forgetEvents } from "./stripe/stripe-event.store.ts";
import type { Context } from "../context.ts";

/** Stripe redelivers events for three days and lists them for thirty. */
const EVENTS_KEPT_DAYS = 35;
/** The limits need two days; fraud reviews need more. */
const DECLINES_KEPT_DAYS = 365;
const UNFINISHED_SETUPS_KEPT_DAYS = 365;

/** Job: deletes old provider events, declines, card setups that saved no card, and expired links that ask for credit. */
export async function forgetOldRecords(ctx: Context, signal: AbortSignal): Promise<void> {
  const { db } = ctx.handle;
  const before = (days: number) => new Date(ctx.clock.now().getTime() - days * DAY_MS);
  await forgetEvents(db, before(EVENTS_KEPT_DAYS), signal);
  await deleteExpiredRequests(db, ctx.clock.now(), signal);
  await deleteInBatches(signal, (limit) => forgetDeclines(db, { before: before(DECLINES_KEPT_DAYS), limit }));
  await deleteInBatches(signal, (limit) => forgetUnfinishedSetups(db, { before: before(UNFINISHED_SETUPS_KEPT_DAYS), limit }));
}
