import { createCampaign, type CampaignOrder } from "../src/promotions/promo/campaigns.ts";

let made = 0;

/** Starts a promo campaign: ten percent without limits, except for what `change` sets. Returns its code. */
export async function newCampaign(
  deps: Parameters<typeof createCampaign>[0],
  change: Partial<CampaignOrder> = {},
): Promise<string> {
  made += 1;
  const order: CampaignOrder = {
    code: `CODE-${made}`,
    percent: change.fixedMicros === undefined ? 10 : null,
    fixedMicros: null,
    mostBonusMicros: null,
    packageId: null,
    leastMicros: 0n,
    mostUses: null,
    budgetMicros: null,
    startsAt: null,
    endsAt: null,
    operator: "grace",
    reason: "a test",
    ...change,
  };
  return (await createCampaign(deps, order)).code;
}
