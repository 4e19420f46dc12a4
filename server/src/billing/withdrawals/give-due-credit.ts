import { RETURNABLE_DAYS } from "@farline/contract/constants.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import type { Context } from "../../context.ts";
import { convergePayment } from "../payments/converge-payment.ts";
import { lockParties } from "../record/lock-parties.ts";
import { lockPayment } from "../record/payment.store.ts";
import { returnToCard } from "./withdraw-credit.ts";
import { giveCredit, partiesOf } from "../credit-for-others/book-gift.ts";
import {
  decideGift,
  findDueGifts,
  findGiftOfPayment,
  findGuestsToRepay,
  type CreditGift,
} from "../credit-for-others/gift.store.ts";

const MAX_PER_RUN = 50;

/**
 * Job: gives credit that has waited, unless its payment was refunded, disputed or reported meanwhile; and returns to the card what guests
 * paid for somebody who could not get it. An operator decides first about a guest who is locked.
 */
export async function giveDueCredit(ctx: Context, signal: AbortSignal): Promise<void> {
  const now = ctx.clock.now();
  for (const due of await findDueGifts(ctx.handle.db, now, MAX_PER_RUN)) {
    if (signal.aborted) return;
    await giveDue(ctx, due).catch((error: unknown) => ctx.log.warn({ err: error, gift: due.id }, "held credit not given yet"));
  }
  const since = new Date(now.getTime() - RETURNABLE_DAYS * DAY_MS);
  for (const { giftId, ...own } of await findGuestsToRepay(ctx.handle.db, since, MAX_PER_RUN)) {
    if (signal.aborted) return;
    await returnToCard(ctx, own).catch((error: unknown) => ctx.log.warn({ err: error, gift: giftId }, "guest not repaid yet"));
  }
}

async function giveDue(ctx: Context, due: CreditGift): Promise<void> {
  // Refunds and disputes of the last minutes may not have been heard of yet.
  await convergePayment(ctx, due.payment_id, { reversals: ["refunds", "disputes"] });
  await ctx.transaction(async (tx) => {
    const payment = await lockPayment(tx, due.payment_id);
    await lockParties(tx, ctx, await partiesOf(tx, payment));
    const gift = await findGiftOfPayment(tx, payment.id);
    if (gift?.state !== "held") return;
    if (payment.stayed_micros < payment.charge_micros) await decideGift(tx, gift.id, "kept", ctx.clock.now());
    else await giveCredit(tx, ctx, gift);
  });
  for (const type of ["balance", "transactions"] as const) ctx.live.publish(due.beneficiary_id, { type });
}
