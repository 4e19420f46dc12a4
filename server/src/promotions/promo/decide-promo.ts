import type { PromoRefusal } from "@farline/contract/promotions.ts";
import { MAX_TOP_UP_MICROS } from "@farline/domain/business/top-up-limits.ts";
import { smallerOf, type Micros } from "@farline/domain/money.ts";
import type { Campaign } from "./promo.store.ts";

/** A top-up with a code. */
export interface PromoOrder {
  readonly chargeMicros: Micros;
  /** Null for a custom amount. */
  readonly packageId: string | null;
}

type PromoDecision = { readonly bonusMicros: Micros } | { readonly refusal: PromoRefusal };

const MICROS_PER_CENT = 10_000n;

/**
 * Decides a code's bonus for a top-up, or why it is refused. Earlier use is checked elsewhere.
 * @param campaign undefined if no campaign has the code
 */
export function decidePromo(campaign: Campaign | undefined, order: PromoOrder, now: Date): PromoDecision {
  if (campaign === undefined) return { refusal: "unknown" };
  if (campaign.starts_at > now) return { refusal: "not_started" };
  if (campaign.ended_at !== null || (campaign.ends_at !== null && campaign.ends_at <= now)) return { refusal: "expired" };
  if (campaign.most_uses !== null && campaign.uses >= campaign.most_uses) return { refusal: "used_up" };
  if (campaign.package_id !== null && campaign.package_id !== order.packageId) return { refusal: "other_package" };
  if (order.chargeMicros < campaign.least_micros) return { refusal: "too_little" };
  const bonusMicros = bonusOf(campaign, order.chargeMicros);
  if (bonusMicros === 0n) return { refusal: "too_little" };
  const promised = campaign.promised_micros + bonusMicros;
  if (campaign.budget_micros !== null && promised > campaign.budget_micros) return { refusal: "used_up" };
  return { bonusMicros };
}

/** All bonuses that a campaign can give, at worst; null without a limit. */
export function mostGivenBy(
  campaign: Pick<Campaign, "bonus_percent" | "bonus_micros" | "most_uses" | "budget_micros">,
): Micros | null {
  const { most_uses: uses, budget_micros: budget } = campaign;
  const byUses = uses === null ? null : BigInt(uses) * bonusOf(campaign, MAX_TOP_UP_MICROS);
  return byUses === null || budget === null ? (byUses ?? budget) : smallerOf(byUses, budget);
}

/** Whole cents, rounded down. */
function bonusOf(
  { bonus_percent: percent, bonus_micros: fixed }: Pick<Campaign, "bonus_percent" | "bonus_micros">,
  chargeMicros: Micros,
): Micros {
  if (percent === null) return fixed ?? 0n;
  const share = (chargeMicros * BigInt(percent)) / 100n;
  const bonus = share - (share % MICROS_PER_CENT);
  if (fixed === null) return bonus;
  return bonus < fixed ? bonus : fixed;
}
