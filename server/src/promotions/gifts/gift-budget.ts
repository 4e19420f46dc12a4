import type { Transaction } from "../../platform/database/database.ts";
import { GIFT_BUDGET } from "../promotion-limits.ts";
import { giftsSince, insertGift, lockGifts, readUnpaidPromises, type Gift } from "./gift.store.ts";
import type { Context } from "../../context.ts";

/**
 * Counts gifts against the daily budgets, overall and of each customer's networks: all of them or none. The first gift in a
 * network may exceed its budget. Every gift must be reserved here before it is posted. Takes the last lock of the order, so the
 * accounts must be locked before.
 * @returns false if a budget is used up for now
 */
export async function reserveGiftBudget(
  tx: Transaction,
  config: Context["config"],
  { gifts, now }: { gifts: readonly Gift[]; now: Date },
): Promise<boolean> {
  await lockGifts(tx);
  if (config.limitsScale !== 0) {
    const total = dailyTotal(config);
    const since = new Date(now.getTime() - GIFT_BUDGET.windowMs);
    const networkSince = new Date(now.getTime() - GIFT_BUDGET.networkWindowMs);
    const wantedMicros = gifts.reduce((sum, { amountMicros }) => sum + amountMicros, 0n);
    for (const { customerId, amountMicros } of gifts) {
      const given = await giftsSince(tx, { customerId, since, networkSince });
      if (given.allMicros + wantedMicros > total) return false;
      const ofNetwork = (total * GIFT_BUDGET.networkPercent) / 100n;
      if (given.networkMicros > 0n && given.networkMicros + amountMicros > ofNetwork) return false;
    }
  }
  for (const gift of gifts) await insertGift(tx, gift, now);
  return true;
}

/**
 * As `reserveGiftBudget`, for a gift that is promised to a payment that has not arrived. The first promise of a share may exceed it.
 * @returns the refusal if a budget or the share of unpaid promises is used up
 */
export async function reserveUnpaidGift(
  tx: Transaction,
  config: Context["config"],
  { gift, now }: { gift: Gift; now: Date },
): Promise<"used_up_today" | "used_up_for_now" | "confirm_first" | null> {
  await lockGifts(tx);
  if (config.limitsScale !== 0) {
    const since = new Date(now.getTime() - GIFT_BUDGET.windowMs);
    const { isConfirmed, unpaidMicros } = await readUnpaidPromises(tx, { customerId: gift.customerId, since });
    const percent = GIFT_BUDGET.unpaidPercent[isConfirmed ? "confirmed" : "unconfirmed"];
    if (unpaidMicros > 0n && unpaidMicros + gift.amountMicros > (dailyTotal(config) * percent) / 100n)
      return isConfirmed ? "used_up_for_now" : "confirm_first";
  }
  return (await reserveGiftBudget(tx, config, { gifts: [gift], now })) ? null : "used_up_today";
}

function dailyTotal({ promotions, limitsScale }: Context["config"]): bigint {
  return (promotions.giftsPerDayMicros * BigInt(Math.round(limitsScale * 1000))) / 1000n;
}
