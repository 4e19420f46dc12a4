import { readPromoCode } from "@farline/domain/typed/typed-codes.ts";
import { type PromoCheckResponse, type PromoRefusal } from "@farline/contract/promotions.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import type { Tx } from "../../platform/database/database.ts";
import { decidePromo, type PromoOrder } from "./decide-promo.ts";
import { findCampaign, findOwnUse, mailboxHasUsed, packagePrice, type Campaign } from "./promo.store.ts";

/** Previews a code's bonus for a top-up. Reserves nothing. */
export async function previewPromo(
  tx: Tx,
  wanted: PromoOrder & { typed: string; customerId: string; now: Date },
): Promise<PromoCheckResponse> {
  const code = readPromoCode(wanted.typed);
  const campaign = code === null ? undefined : await findCampaign(tx, code);
  const own =
    campaign === undefined ? undefined : await findOwnUse(tx, { campaignId: campaign.id, customerId: wanted.customerId });
  const used = own?.state === "granted" || (campaign !== undefined && (await usedBySame(tx, campaign.id, wanted.customerId)));
  const judged = used ? { refusal: "used_before" as const } : judge(campaign, own !== undefined, wanted);
  const refusal = "refusal" in judged ? judged.refusal : null;
  return {
    code: code ?? wanted.typed.trim().toUpperCase(),
    bonus: toDecimalString("refusal" in judged ? 0n : judged.bonusMicros),
    refusal,
    min_amount: refusal === "too_little" && campaign !== undefined ? toDecimalString(campaign.least_micros) : null,
    package_amount: await packageAmount(tx, refusal, campaign),
    ends_at: campaign === undefined || refusal !== null ? null : (campaign.ends_at?.toISOString() ?? null),
  };
}

function usedBySame(tx: Tx, campaignId: string, customerId: string): Promise<boolean> {
  return mailboxHasUsed(tx, { campaignId, customerId, states: ["reserved", "granted"] });
}

/** If the customer's abandoned checkout holds a reservation, the campaign's caps have room for it. */
function judge(campaign: Campaign | undefined, holdsPlace: boolean, wanted: PromoOrder & { now: Date }) {
  const free = campaign !== undefined && holdsPlace ? { ...campaign, most_uses: null, budget_micros: null } : campaign;
  return decidePromo(free, wanted, wanted.now);
}

async function packageAmount(tx: Tx, refusal: PromoRefusal | null, campaign: Campaign | undefined): Promise<string | null> {
  const packageId = campaign?.package_id ?? null;
  if (refusal !== "other_package" || packageId === null) return null;
  const micros = await packagePrice(tx, packageId);
  return micros === undefined ? null : toDecimalString(micros);
}
