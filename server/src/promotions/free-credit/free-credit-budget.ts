import type { Transaction } from "../../platform/database/database.ts";
import { FREE_CREDIT_BUDGET } from "../promotion-limits.ts";
import { freeCreditSince, insertFreeCredit, lockFreeCredit, readUnpaidPromises, type FreeCredit } from "./free-credit.store.ts";
import type { Context } from "../../context.ts";

/**
 * Counts free credit against the daily budgets, overall and of each customer's networks: all of them or none. The first grant in a
 * network may exceed its budget. All free credit must be reserved here before it is posted. Takes the last lock of the order, so the
 * accounts must be locked before.
 * @returns false if a budget is used up for now
 */
export async function reserveFreeCredit(
  tx: Transaction,
  config: Context["config"],
  { grants, now }: { grants: readonly FreeCredit[]; now: Date },
): Promise<boolean> {
  await lockFreeCredit(tx);
  if (config.limitsScale !== 0) {
    const total = dailyTotal(config);
    const since = new Date(now.getTime() - FREE_CREDIT_BUDGET.windowMs);
    const networkSince = new Date(now.getTime() - FREE_CREDIT_BUDGET.networkWindowMs);
    const wantedMicros = grants.reduce((sum, { amountMicros }) => sum + amountMicros, 0n);
    for (const { customerId, amountMicros } of grants) {
      const given = await freeCreditSince(tx, { customerId, since, networkSince });
      if (given.allMicros + wantedMicros > total) return false;
      const ofNetwork = (total * FREE_CREDIT_BUDGET.networkPercent) / 100n;
      if (given.networkMicros > 0n && given.networkMicros + amountMicros > ofNetwork) return false;
    }
  }
  for (const grant of grants) await insertFreeCredit(tx, grant, now);
  return true;
}

/**
 * As `reserveFreeCredit`, for free credit that is promised to a payment that has not arrived. The first promise of a share may exceed it.
 * @returns the refusal if a budget or the share of unpaid promises is used up
 */
export async function reserveUnpaidFreeCredit(
  tx: Transaction,
  config: Context["config"],
  { grant, now }: { grant: FreeCredit; now: Date },
): Promise<"used_up_today" | "used_up_for_now" | "confirm_first" | null> {
  await lockFreeCredit(tx);
  if (config.limitsScale !== 0) {
    const since = new Date(now.getTime() - FREE_CREDIT_BUDGET.windowMs);
    const { isConfirmed, unpaidMicros } = await readUnpaidPromises(tx, { customerId: grant.customerId, since });
    const percent = FREE_CREDIT_BUDGET.unpaidPercent[isConfirmed ? "confirmed" : "unconfirmed"];
    if (unpaidMicros > 0n && unpaidMicros + grant.amountMicros > (dailyTotal(config) * percent) / 100n)
      return isConfirmed ? "used_up_for_now" : "confirm_first";
  }
  return (await reserveFreeCredit(tx, config, { grants: [grant], now })) ? null : "used_up_today";
}

function dailyTotal({ promotions, limitsScale }: Context["config"]): bigint {
  return (promotions.freeCreditPerDayMicros * BigInt(Math.round(limitsScale * 1000))) / 1000n;
}
