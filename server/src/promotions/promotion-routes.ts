import { randomInt } from "node:crypto";
import { toDecimalString } from "@farline/domain/money.ts";
import { readPromoCode } from "@farline/domain/typed/typed-codes.ts";
import type { PromoCheckResponse, PromoRefusal, ReferralResponse } from "@farline/contract/promotions.ts";
import { invitationPath } from "@farline/contract/constants.ts";
import { type Customer, customerOf, perCustomer } from "../accounts/accounts.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { sharedRateLimit } from "../platform/http/rate-limit.ts";
import { type Campaign, findCampaign, findOwnUse, mailboxHasUsed, packagePrice } from "./promo/promo.store.ts";
import { referralRules } from "./promotion-limits.ts";
import type { ServiceContext } from "../context.ts";
import type { Tx } from "../platform/database/database.ts";
import { decidePromo, type PromoOrder } from "./promo/decide-promo.ts";
import { countReferrals, ensureInvitationCode, insertReferral, ownerOfCode } from "./referral/referral.store.ts";

/** Without easily confused letters and digits. */
const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

const CODE_LENGTH = 8;

const CODE = /^[A-Z2-9]{8}$/;

/** Retries for the rare collision of random codes. */
const MAX_ATTEMPTS = 5;

/** Promo-code previews and invitations. */
export function promotionRoutes(app: App, ctx: ServiceContext): void {
  const { handle, clock, config } = ctx;
  const guess = limitGuesses(ctx);

  serve(app, "POST /api/billing/promo/check", async (request) => {
    const { id: customerId } = customerOf(request);
    const { code: typed, amount = 0n, package_id } = request.body;
    const packageId = package_id === undefined ? null : String(package_id);
    const price = packageId === null ? amount : await packagePrice(handle.db, packageId);
    const order = { typed, customerId, packageId, chargeMicros: price ?? 0n, now: clock.now() };
    return guess(
      customerId,
      () => previewPromo(handle.db, order),
      (preview) => preview.refusal === "unknown",
    );
  });

  serve(app, "GET /api/referral", async (request) => readInvitation(ctx, customerOf(request)));

  serve(app, "POST /api/referral/claim", {
    onRequest: perCustomer(sharedRateLimit(ctx, "referral_claim")),
    handler: async (request) => {
      const customer = customerOf(request);
      const accepted = await claimInvitation(ctx, customer, request.body.code);
      return { accepted, bonus: toDecimalString(accepted ? config.promotions.referralMicros : 0n) };
    },
  });
}

/** Runs a function that checks a typed code; an error or a result that `isGuess` counts as a guess. */
type GuessLimit = <Result>(
  customerId: string,
  run: () => Promise<Result>,
  isGuess?: (result: Result) => boolean,
) => Promise<Result>;

/**
 * Limits a customer's wrong codes, counting previews and top-ups together.
 * @returns a function that throws AppError rate_limited after too many
 */
export function limitGuesses(ctx: ServiceContext): GuessLimit {
  const limit = sharedRateLimit(ctx, "promo_guess");
  return async (customerId, run, isGuess = () => false) => {
    await limit.take(customerId);
    const result = await run();
    if (!isGuess(result)) await limit.giveBack(customerId);
    return result;
  };
}

/** Previews a code's bonus for a top-up. Reserves nothing. */
async function previewPromo(
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

/** A customer's invitation and its results. */
async function readInvitation(ctx: ServiceContext, customer: Customer): Promise<ReferralResponse> {
  const { referralMicros } = ctx.config.promotions;
  const code = await ownCode(ctx, customer.id);
  const { invited, rewarded, earnedMicros } = await countReferrals(ctx.handle.db, customer.id);
  return {
    enabled: referralMicros > 0n,
    code,
    link: `${ctx.config.publicUrl}${invitationPath}?ref=${code}`,
    bonus: toDecimalString(referralMicros),
    min_top_up: toDecimalString(referralRules.minMicros),
    invited,
    rewarded,
    earned: toDecimalString(earnedMicros),
  };
}

/**
 * Records who invited a customer, once, soon after sign-up.
 * @returns false for an unknown code, the customer's own, or a late claim
 */
async function claimInvitation(ctx: ServiceContext, customer: Customer, typed: string): Promise<boolean> {
  const code = typed.trim().toUpperCase();
  const now = ctx.clock.now();
  const age = now.getTime() - customer.createdAt.getTime();
  if (ctx.config.promotions.referralMicros === 0n || age > referralRules.claimWithinMs || !CODE.test(code)) return false;
  const inviterId = await ownerOfCode(ctx.handle.db, code);
  if (inviterId === undefined || inviterId === customer.id) return false;
  return insertReferral(ctx.handle.db, { invitedId: customer.id, inviterId, now });
}

async function ownCode(ctx: ServiceContext, customerId: string): Promise<string> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const fresh = Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
    const code = await ensureInvitationCode(ctx.handle.db, { customerId, fresh, now: ctx.clock.now() });
    if (code !== null) return code;
  }
  throw new Error("No free invitation code was found.");
}
