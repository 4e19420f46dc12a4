import type { CampaignOrder } from "../src/promotions/promo/campaigns.ts";
import type { Context } from "../src/context.ts";
import { confirm, propose } from "./operate.ts";
import { asOperator } from "./test-context.ts";

let made = 0;

/** Starts a promo campaign: ten percent without limits, except for what `change` sets. A second operator confirms it if it needs one. Returns its code. */
export async function newCampaign(ctx: Context, change: Partial<CampaignOrder> = {}): Promise<string> {
  made += 1;
  const order: CampaignOrder = {
    code: `CODE-${made}`,
    percent: change.fixedMicros === undefined ? 10 : null,
    fixedMicros: null,
    maxBonusMicros: null,
    packageId: null,
    minMicros: 0n,
    maxUses: null,
    budgetMicros: null,
    startsAt: null,
    endsAt: null,
    reason: "a test",
    ...change,
  };
  const { proposal } = await propose(asOperator(ctx, "grace"), "create-promo", order);
  if (proposal !== null) await confirm(asOperator(ctx, "ana"), proposal.id);
  return order.code;
}
