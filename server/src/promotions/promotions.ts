import type { ConfigResponse } from "@farline/contract/accounts.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import type { Config } from "../platform/settings/config.ts";
import type { Job } from "../platform/jobs/jobs.ts";
import { grantFirstCalls } from "./first-call/grant-first-calls.ts";
import { deleteOldFreeCredit } from "./free-credit/free-credit.store.ts";
import { FREE_CREDIT_BUDGET, referralRules } from "./promotion-limits.ts";
import { rewardReferrals } from "./referral/reward-referrals.ts";
import type { ServiceContext } from "../context.ts";

export { BONUS_DESCRIPTIONS } from "./promotion-limits.ts";
export { hasOnlyFirstCall } from "./first-call/first-call.store.ts";
export { promoVerbs, readPromos, seedSampleCampaign } from "./promo/campaigns.ts";
export { limitGuesses, promotionRoutes } from "./promotion-routes.ts";
export { promoCodeOf, reservePromo } from "./promo/reserve-promo.ts";
export { grantPromo, releasePromo } from "./promo/settle-promo.ts";
export { recordReferralPayment } from "./referral/referral.store.ts";
export {
  endsReward,
  findInvitation,
  lockInvitation,
  returnReferralReward,
  revokeReferralReward,
  type Invitation,
} from "./referral/take-back.ts";

const LOOK_EVERY_MS = 1_000;
const FORGET_EVERY_MS = 6 * 60 * 60 * 1000;

/** The offers that pages may advertise. */
export function offersOf({
  firstCallMicros,
  referralMicros,
}: Config["promotions"]): Pick<ConfigResponse, "first_call" | "referral"> {
  const referral = { bonus: toDecimalString(referralMicros), min_top_up: toDecimalString(referralRules.minMicros) };
  return {
    first_call: firstCallMicros > 0n ? toDecimalString(firstCallMicros) : null,
    referral: referralMicros > 0n ? referral : null,
  };
}

/** Grants first calls and invitation rewards, and deletes old records. */
export function promotionJobs(ctx: ServiceContext): Job[] {
  return [
    { name: "give-first-calls", everyMs: LOOK_EVERY_MS, run: (signal) => grantFirstCalls(ctx, signal) },
    { name: "reward-referrals", everyMs: LOOK_EVERY_MS, run: (signal) => rewardReferrals(ctx, signal) },
    {
      name: "forget-old-free-credit",
      everyMs: FORGET_EVERY_MS,
      run: (signal) =>
        deleteOldFreeCredit(ctx.handle.db, new Date(ctx.clock.now().getTime() - FREE_CREDIT_BUDGET.keptMs), signal),
    },
  ];
}
