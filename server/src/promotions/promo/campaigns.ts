import type { Context, OperatorContext } from "../../context.ts";
import { readPromoCode } from "@farline/domain/typed/typed-codes.ts";
import { SAMPLE_PROMO_CODE } from "@farline/contract/constants.ts";
import { MICROS_PER_DOLLAR, type Micros } from "@farline/domain/money.ts";
import { uuidv7 } from "uuidv7";
import { AppError } from "../../platform/app-error.ts";
import {
  concernsAboutAmount,
  guardChange,
  lockMoneyOperations,
  MOVES_NOTHING,
  recordOperation,
  resultOf,
} from "../../operator/operator.ts";
import { mostGivenBy } from "./decide-promo.ts";
import {
  endCampaign as storeEnd,
  findCampaign,
  insertCampaign,
  listCampaigns as readCampaigns,
  packagePrice,
  type Campaign,
} from "./promo.store.ts";

/** An operator's order for a campaign. Exactly one of `percent` and `fixedMicros`; a package allows only the latter. */
export interface CampaignOrder {
  readonly code: string;
  readonly percent: number | null;
  readonly fixedMicros: Micros | null;
  /** For a percentage: the maximum bonus per top-up. */
  readonly maxBonusMicros: Micros | null;
  readonly packageId: string | null;
  readonly minMicros: Micros;
  readonly maxUses: number | null;
  readonly budgetMicros: Micros | null;
  readonly startsAt: Date | null;
  readonly endsAt: Date | null;
  readonly reason: string;
}

/** The action in the audit log and in proposals. */
export const CREATE_CAMPAIGN = "promo_create";

const MICROS_PER_CENT = 10_000n;
const MAX_LISTED = 200;

/**
 * Starts a campaign, or proposes it to a second operator if its bonuses could add up to more than this one may move alone.
 * @param order.confirms another operator's proposal of the same campaign
 * @throws AppError validation_failed with the reason; conflict if the code is taken, a second operator is required, or this one may not
 * confirm
 */
export async function createCampaign(ctx: OperatorContext, order: CampaignOrder & { confirms?: string }): Promise<Campaign> {
  const now = ctx.clock.now();
  const campaign = { ...toCampaign(order, now), uses: 0, promised_micros: 0n };
  const moved = await ctx.transaction(async (tx) => {
    await lockMoneyOperations(tx);
    if (campaign.package_id !== null && (await packagePrice(tx, campaign.package_id)) === undefined)
      throw wrong(`There is no package ${campaign.package_id} on sale.`);
    if ((await findCampaign(tx, campaign.code)) !== undefined) throw campaignKnown(campaign.code);
    const amountMicros = mostGivenBy(campaign);
    const change = {
      action: CREATE_CAMPAIGN,
      subject: campaign.code,
      reason: order.reason,
      confirms: order.confirms ?? null,
      detail: writeOrder(order),
      concerns: await concernsAboutAmount(tx, ctx, { customerId: null, amountMicros }),
      moves: { amountMicros, customers: campaign.most_uses ?? "everyone" },
    } as const;
    return guardChange(tx, ctx, change, async () => {
      if (!(await insertCampaign(tx, campaign))) throw campaignKnown(campaign.code);
      return { result: campaign };
    });
  });
  return resultOf(moved);
}

function campaignKnown(code: string): AppError {
  return new AppError("conflict", { reason: "operator.campaign_known", params: { code } });
}

/** A campaign's terms as a proposal keeps them; what is left out is empty. */
function writeOrder(order: CampaignOrder): Record<keyof Omit<CampaignOrder, "code" | "reason">, string> {
  const { percent, fixedMicros, maxBonusMicros, packageId, minMicros, maxUses, budgetMicros, startsAt, endsAt } = order;
  const amounts = { fixedMicros, maxBonusMicros, minMicros, budgetMicros };
  const written = Object.entries({ percent, packageId, maxUses, ...amounts }).map(([name, value]) => [name, String(value ?? "")]);
  const times = { startsAt: startsAt?.toISOString() ?? "", endsAt: endsAt?.toISOString() ?? "" };
  return {
    ...(Object.fromEntries(written) as Record<"percent" | "packageId" | "maxUses" | keyof typeof amounts, string>),
    ...times,
  };
}

/** The terms of a proposed campaign. */
export function readOrder(detail: Readonly<Record<string, unknown>>): Omit<CampaignOrder, "code" | "reason"> {
  const read = <Value>(name: string, of: (text: string) => Value) => {
    const text = detail[name];
    return typeof text !== "string" || text === "" ? null : of(text);
  };
  return {
    percent: read("percent", Number),
    fixedMicros: read("fixedMicros", BigInt),
    maxBonusMicros: read("maxBonusMicros", BigInt),
    packageId: read("packageId", String),
    minMicros: read("minMicros", BigInt) ?? 0n,
    maxUses: read("maxUses", Number),
    budgetMicros: read("budgetMicros", BigInt),
    startsAt: read("startsAt", (text) => new Date(text)),
    endsAt: read("endsAt", (text) => new Date(text)),
  };
}

/** Ends a campaign now; reserved bonuses stay valid. @throws AppError not_found; conflict if it has ended */
export async function endCampaign(ctx: OperatorContext, order: { code: string; reason: string }): Promise<Campaign> {
  const at = ctx.clock.now();
  return ctx.transaction(async (tx) => {
    const campaign = await findCampaign(tx, readPromoCode(order.code) ?? "");
    if (campaign === undefined) throw new AppError("not_found", { reason: "operator.no_campaign", params: { code: order.code } });
    if (!(await storeEnd(tx, campaign.id, at)))
      throw new AppError("conflict", { reason: "operator.campaign_ended", params: { code: campaign.code } });
    await recordOperation(tx, ctx, {
      moves: MOVES_NOTHING,
      action: "promo_end",
      customerId: null,
      subject: campaign.code,
      reason: order.reason,
    });
    return campaign;
  });
}

/** The newest campaigns first. */
export function listCampaigns({ handle }: Context): Promise<Campaign[]> {
  return readCampaigns(handle.db, MAX_LISTED);
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
