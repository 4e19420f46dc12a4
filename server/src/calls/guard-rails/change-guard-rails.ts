import type { GuardRailsOrder, GuardRailsResponse } from "@farline/contract/calls.ts";
import {
  columnOf,
  guardRailsBy,
  isAmountRail,
  isLooser,
  NO_GUARD_RAILS,
  perGuardRail,
  type GuardRails,
  type PerGuardRail,
} from "@farline/domain/calls/guard-rails.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { sendNotice, type Customer } from "../../accounts/accounts.ts";
import type { Tx } from "../../platform/database/database.ts";
import { capOf, countriesOf } from "../../platform/limit-values.ts";
import { zoneOf } from "../../platform/time-zones.ts";
import { findGuardRail, lockGuardRail, readToday, saveGuardRail, type GuardRail } from "./guard-rail.store.ts";
import type { Context } from "../../context.ts";

/** The customer's own limits, none by default, and today's cost so far. */
export async function readGuardRails(ctx: Context, customer: Customer): Promise<GuardRailsResponse> {
  const rail = (await findGuardRail(ctx.handle.db, customer.id)) ?? noRail(customer.id);
  return present(ctx, rail);
}

/**
 * Sets the customer's own limits with immediate effect. Loosening them requires recent authentication and sends a mail. Running calls
 * keep the limits they began with.
 * @param requireProof throws AppError reauth_required without a recent proof
 * @throws AppError validation_failed, with the field
 */
export async function changeGuardRails(
  ctx: Context,
  customer: Customer,
  requested: GuardRailsOrder,
  requireProof: () => void,
): Promise<GuardRailsResponse> {
  const rail: GuardRail = {
    customer_id: customer.id,
    ...guardRailsBy((name) => (isAmountRail(name) ? capOf(requested[name], name) : countriesOf(requested[name]))),
    time_zone: await zoneOf(ctx.handle.db, requested.time_zone),
  };
  const answer = await present(ctx, rail);
  const now = ctx.clock.now();
  await ctx.transaction(async (tx) => {
    await lockGuardRail(tx, customer.id);
    const before = (await findGuardRail(tx, customer.id)) ?? noRail(customer.id);
    const looser = isLooser(before, rail) || (await resetsTodaysSpending(tx, { before, after: rail, now }));
    if (looser) requireProof();
    await saveGuardRail(tx, rail, now);
    if (looser) await sendNotice(tx, customer, { event: "limits_loosened", at: now, device: null });
  });
  ctx.live.publish(customer.id, { type: "guard_rails" });
  return answer;
}

/** A customer's own limits for operators; null if they never set any. */
export async function readOwnLimits(db: Tx, customerId: string): Promise<ReturnType<typeof presentRails> | null> {
  const rail = await findGuardRail(db, customerId);
  return rail === undefined ? null : presentRails(rail);
}

function presentRails(rails: GuardRails): PerGuardRail<{ amount: string | null; countries: string[] | null }> {
  return perGuardRail((name) => {
    if (!isAmountRail(name)) return rails[name];
    const micros = rails[columnOf(name)];
    return micros === null ? null : toDecimalString(micros);
  });
}

async function present(ctx: Context, rail: GuardRail): Promise<GuardRailsResponse> {
  const today = await readToday(ctx.handle.db, rail, ctx.clock.now());
  return {
    guard_rails: {
      ...presentRails(rail),
      time_zone: rail.time_zone,
    },
    today: { spent: toDecimalString(today.spentMicros), resets_at: today.resetsAt.toISOString() },
  };
}

/** Whether the change of time zone starts a new day, which resets today's spending. */
async function resetsTodaysSpending(
  tx: Tx,
  { before, after, now }: { before: GuardRail; after: GuardRail; now: Date },
): Promise<boolean> {
  if (before.daily_cap_micros === null || before.time_zone === after.time_zone) return false;
  return (await readToday(tx, after, now)).spentMicros < (await readToday(tx, before, now)).spentMicros;
}

function noRail(customerId: string): GuardRail {
  return { customer_id: customerId, ...NO_GUARD_RAILS, time_zone: "UTC" };
}
