import type { Context } from "../../context.ts";
import type { PromoResponse } from "@farline/contract/operator/business.ts";
import type { OperationInput } from "@farline/contract/operator/operation-inputs.ts";
import { readPromoCode } from "@farline/domain/typed/typed-codes.ts";
import { SAMPLE_PROMO_CODE } from "@farline/contract/constants.ts";
import { formatDollars, MICROS_PER_DOLLAR } from "@farline/domain/money.ts";
import { uuidv7 } from "uuidv7";
import { AppError } from "../../platform/app-error.ts";
import { concernsAboutAmount, lockMoneyOperations, type Verb, CONCERNS_NOBODY } from "../../operator/operator.ts";
import { mostGivenBy } from "./decide-promo.ts";
import { endCampaign, findCampaign, insertCampaign, listCampaigns, packagePrice, type Campaign } from "./promo.store.ts";

/** An operator's order for a campaign. */
export type CampaignOrder = OperationInput<"create-promo">;

const MICROS_PER_CENT = 10_000n;
const MAX_LISTED = 200;

/** Starts a campaign; a second operator confirms one whose bonuses could add up to more than its operator may move alone. */
const create: Verb<"create-promo", Campaign> = {
  plan: async (tx, ctx, order) => {
    const campaign = { ...toCampaign(order, ctx.clock.now()), uses: 0, promised_micros: 0n };
    await lockMoneyOperations(tx);
    if (campaign.package_id !== null && (await packagePrice(tx, campaign.package_id)) === undefined)
      throw wrong(`There is no package ${campaign.package_id} on sale.`);
    if ((await findCampaign(tx, campaign.code)) !== undefined) throw campaignKnown(campaign.code);
    const amountMicros = mostGivenBy(campaign);
    return {
      customerId: null,
      subject: campaign.code,
      detail: termsOf(order),
      moves: { amountMicros, customers: campaign.most_uses ?? "everyone" },
      concerns: await concernsAboutAmount(tx, ctx, { customerId: null, amountMicros }),
      run: async () => {
        if (!(await insertCampaign(tx, campaign))) throw campaignKnown(campaign.code);
        return { result: campaign };
      },
    };
  },
  respond: ({ proposal }) => ({ proposal: proposal?.id ?? null }),
};

function campaignKnown(code: string): AppError {
  return new AppError("conflict", { reason: "operator.campaign_known", params: { code } });
}

/** A campaign's terms for the audit log; what is left out is empty. */
function termsOf({ code: _code, reason: _reason, ...terms }: CampaignOrder): Record<string, string> {
  const textOf = (value: string | number | bigint | Date | null) =>
    value instanceof Date ? value.toISOString() : String(value ?? "");
  return Object.fromEntries(Object.entries(terms).map(([name, value]) => [name, textOf(value)]));
}

/** Ends a campaign now; reserved bonuses stay valid. */
const end: Verb<"end-promo", Campaign> = {
  plan: async (tx, ctx, { code }) => {
    const campaign = await findCampaign(tx, readPromoCode(code) ?? "");
    if (campaign === undefined) throw new AppError("not_found", { reason: "operator.no_campaign", params: { code } });
    return {
      ...CONCERNS_NOBODY,
      subject: campaign.code,
      run: async () => {
        if (!(await endCampaign(tx, campaign.id, ctx.clock.now())))
          throw new AppError("conflict", { reason: "operator.campaign_ended", params: { code: campaign.code } });
        return { result: campaign };
      },
    };
  },
  respond: ({ result }) => ({ uses: result?.uses ?? 0 }),
};

export const promoVerbs = { "create-promo": create, "end-promo": end };

/** The newest campaigns first. */
export async function readPromos({ handle }: Context): Promise<PromoResponse[]> {
  const campaigns = await listCampaigns(handle.db, MAX_LISTED);
  return campaigns.map((one) => ({
    code: one.code,
    offer: offerOf(one),
    starts_at: one.starts_at.toISOString(),
    ends_at: one.ends_at?.toISOString() ?? null,
    ended_at: one.ended_at?.toISOString() ?? null,
    uses: one.uses,
    most_uses: one.most_uses,
    promised: formatDollars(one.promised_micros),
    budget: one.budget_micros === null ? null : formatDollars(one.budget_micros),
  }));
}

/** What a campaign gives, as operators read it. */
function offerOf(one: Campaign): string {
  const fixed = one.bonus_micros === null ? "" : `$${formatDollars(one.bonus_micros)}`;
  const bonus = one.bonus_percent === null ? fixed : `${one.bonus_percent} %${fixed === "" ? "" : `, at most ${fixed}`}`;
  const min = one.least_micros === 0n ? "" : ` from $${formatDollars(one.least_micros)}`;
  return `${bonus}${min}${one.package_id === null ? "" : ` with package ${one.package_id}`}`;
}

/** Creates a sample code in a sandbox, so that the field can be tried. */
export async function seedSampleCampaign({ handle, clock }: Context): Promise<void> {
  const now = clock.now();
  await insertCampaign(handle.db, {
    id: uuidv7(),
    code: SAMPLE_PROMO_CODE,
    kind: "percent",
    bonus_percent: 10,
    bonus_micros: 5n * MICROS_PER_DOLLAR,
    package_id: null,
    least_micros: 10n * MICROS_PER_DOLLAR,
    most_uses: null,
    budget_micros: null,
    starts_at: now,
    ends_at: null,
    ended_at: null,
    created_at: now,
  });
}

function toCampaign(order: CampaignOrder, now: Date) {
  const { percent, fixedMicros, packageId, endsAt, maxUses, maxBonusMicros } = order;
  const code = readPromoCode(order.code);
  if (code === null) throw wrong("A code has 3 to 20 letters, digits and hyphens, and begins with a letter or digit.");
  if ((percent === null) === (fixedMicros === null)) throw wrong("Say either a percentage or a fixed bonus.");
  if (percent !== null && (!Number.isInteger(percent) || percent < 1 || percent > 100))
    throw wrong("The percentage is a whole number from 1 to 100.");
  if (percent !== null && packageId !== null) throw wrong("A code for one package gives a fixed bonus.");
  if (percent === null && maxBonusMicros !== null) throw wrong("Only a percentage has a largest bonus.");
  for (const micros of [fixedMicros, maxBonusMicros, order.budgetMicros])
    if (micros !== null && (micros <= 0n || micros % MICROS_PER_CENT !== 0n)) throw wrong("Amounts are whole cents above zero.");
  if (maxUses !== null && (!Number.isInteger(maxUses) || maxUses < 1))
    throw wrong("The number of uses is a whole number above zero.");
  const startsAt = order.startsAt ?? now;
  if (endsAt !== null && endsAt <= startsAt) throw wrong("The campaign ends before it starts.");
  return {
    id: uuidv7(),
    code,
    kind: packageId !== null ? ("package" as const) : percent !== null ? ("percent" as const) : ("fixed" as const),
    bonus_percent: percent,
    bonus_micros: percent === null ? fixedMicros : maxBonusMicros,
    package_id: packageId,
    least_micros: order.minMicros,
    most_uses: maxUses,
    budget_micros: order.budgetMicros,
    starts_at: startsAt,
    ends_at: endsAt,
    ended_at: null,
    created_at: now,
  };
}

function wrong(message: string): AppError {
  return new AppError("validation_failed", { reason: "operator.refused", params: { text: message } });
}
