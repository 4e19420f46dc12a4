import { BONUS_DESCRIPTIONS, FAILED_RETRY_MS, referralRules, waitingFreeCredit, SHARED } from "../promotion-limits.ts";
import { findCustomer, isDisposableAddress, isOriginKnown } from "../../accounts/accounts.ts";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import type { ReferralRefusal } from "../promotions.tables.ts";
import { reserveFreeCredit } from "../free-credit/free-credit-budget.ts";
import {
  countRewards,
  dueReferrals,
  lockReferral,
  postponeReferral,
  saveReferral,
  sharedWithInvited,
  type Referral,
} from "./referral.store.ts";
import type { ServiceContext } from "../../context.ts";

const MAX_PER_RUN = 50;

/**
 * Decides invitations whose payment has arrived. The referral is marked as due in the payment's transaction, so that a crash
 * loses none.
 */
export async function rewardReferrals(ctx: ServiceContext, signal: AbortSignal): Promise<void> {
  for (const invitedId of await dueReferrals(ctx.handle.db, ctx.clock.now(), MAX_PER_RUN)) {
    if (signal.aborted) return;
    const referral = await decideOrPostpone(ctx, invitedId);
    if (referral === null) continue;
    for (const customerId of [referral.invited_id, referral.inviter_id]) {
      ctx.live.publish(customerId, { type: "balance" });
      ctx.live.publish(customerId, { type: "transactions" });
    }
  }
}

/** An undecidable referral must not block the others. */
async function decideOrPostpone(ctx: ServiceContext, invitedId: string): Promise<Referral | null> {
  const { db } = ctx.handle;
  try {
    return await ctx.transaction((tx) => decide(tx, ctx, invitedId));
  } catch (error) {
    ctx.log.error({ err: error, customer: invitedId }, "invitation not decided yet");
    const now = ctx.clock.now();
    await postponeReferral(db, invitedId, { now, until: new Date(now.getTime() + FAILED_RETRY_MS) });
    return null;
  }
}

/** @returns the referral if credit was granted */
async function decide(tx: Transaction, ctx: ServiceContext, invitedId: string): Promise<Referral | null> {
  const referral = await lockReferral(tx, invitedId);
  const now = ctx.clock.now();
  if (referral?.state !== "invited" || referral.paid_at === null) return null;
  const refusal = (await refusalOf(tx, ctx, referral)) ?? (await reward(tx, ctx, referral));
  if (refusal === null) return referral;
  const giveUpAt = new Date(referral.paid_at.getTime() + referralRules.waitForMs);
  if (isRetried(refusal) && now < giveUpAt) {
    // Verifying an address makes it due at once.
    const retryAt = refusal === "not_verified" ? giveUpAt : new Date(now.getTime() + waitingFreeCredit.retryMs);
    await saveReferral(tx, invitedId, { next_look_at: retryAt });
    return null;
  }
  await saveReferral(tx, invitedId, { state: "refused", refusal, next_look_at: null, decided_at: now });
  ctx.log.info({ customer: invitedId, refusal }, "invitation not rewarded");
  return null;
}

/** Refusals that may resolve over time. */
function isRetried(refusal: ReferralRefusal): boolean {
  return refusal === "not_verified" || refusal === "no_origin" || refusal === "budget";
}

async function refusalOf(tx: Tx, { clock, config }: ServiceContext, referral: Referral): Promise<ReferralRefusal | null> {
  const [invited, inviter] = [await findCustomer(tx, referral.invited_id), await findCustomer(tx, referral.inviter_id)];
  if ((referral.paid_micros ?? 0n) < referralRules.minMicros) return "too_small";
  if (invited?.status !== "active" || inviter?.status !== "active") return "frozen";
  if (config.limitsScale !== 0) {
    if (referral.card_shared) return "same_card";
    if (isDisposableAddress(invited.email) || isDisposableAddress(inviter.email)) return "disposable_address";
    const networkSince = new Date(clock.now().getTime() - referralRules.networkWindowMs);
    const shared = await sharedWithInvited(tx, { invitedId: invited.id, inviterId: inviter.id, networkSince });
    if (shared !== null) return SHARED[shared];
  }
  if (!invited.emailVerified || !inviter.emailVerified) return "not_verified";
  if (config.limitsScale === 0) return null;
  return (await isOriginKnown(tx, invited.id)) && (await isOriginKnown(tx, inviter.id)) ? null : "no_origin";
}

/** Both get the same, unless the inviter has reached the monthly maximum. @returns the refusal if the daily budget is used up */
async function reward(tx: Transaction, ctx: ServiceContext, referral: Referral): Promise<"budget" | null> {
  const { promotions, limitsScale } = ctx.config;
  const { referralMicros } = promotions;
  const now = ctx.clock.now();
  const since = new Date(now.getTime() - referralRules.rewardWindowMs);
  const rewards = await countRewards(tx, referral.inviter_id, since);
  const full = limitsScale !== 0 && rewards >= Math.ceil(referralRules.rewardsPerWindow * limitsScale);
  const shares = sharesOf(referral, { invited: referralMicros, inviter: full ? 0n : referralMicros });
  const customers = shares.map(({ customerId }) => customerId);
  await ctx.ledger.lockAccounts(tx, customers);
  const grants = shares.map(({ side, customerId, amountMicros }) => {
    return { key: `referral:${referral.invited_id}:${side}`, customerId, kind: "referral", amountMicros } as const;
  });
  if (!(await reserveFreeCredit(tx, ctx.config, { grants, now }))) return "budget";
  for (const { side, customerId, amountMicros } of shares)
    await ctx.ledger.credit(tx, {
      key: `referral:${referral.invited_id}:${side}`,
      customerId,
      kind: "bonus",
      amountMicros,
      referenceId: null,
      description: side === "invited" ? BONUS_DESCRIPTIONS.welcome : BONUS_DESCRIPTIONS.invitation,
    });
  await saveReferral(tx, referral.invited_id, {
    state: "rewarded",
    invited_bonus_micros: referralMicros,
    inviter_bonus_micros: full ? 0n : referralMicros,
    next_look_at: null,
    decided_at: now,
  });
  return null;
}

interface Share {
  readonly side: "invited" | "inviter";
  readonly customerId: string;
  readonly amountMicros: bigint;
}

/** The non-zero shares, in the order of the accounts to avoid deadlocks. */
function sharesOf(referral: Referral, micros: { invited: bigint; inviter: bigint }): Share[] {
  const shares: Share[] = [
    { side: "invited", customerId: referral.invited_id, amountMicros: micros.invited },
    { side: "inviter", customerId: referral.inviter_id, amountMicros: micros.inviter },
  ];
  return shares.filter((one) => one.amountMicros > 0n).toSorted((a, b) => (a.customerId < b.customerId ? -1 : 1));
}
