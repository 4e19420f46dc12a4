import { randomInt } from "node:crypto";
import { invitationPath } from "@farline/contract/constants.ts";
import type { ReferralResponse } from "@farline/contract/promotions.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import type { Customer } from "../../accounts/accounts.ts";
import { referralRules } from "../promotion-limits.ts";
import { countReferrals, insertReferral, ensureInvitationCode, ownerOfCode } from "./referral.store.ts";
import type { ServiceContext } from "../../context.ts";

/** Without easily confused letters and digits. */
const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const CODE_LENGTH = 8;
const CODE = /^[A-Z2-9]{8}$/;
/** Retries for the rare collision of random codes. */
const MAX_ATTEMPTS = 5;

/** A customer's invitation and its results. */
export async function readInvitation(ctx: ServiceContext, customer: Customer): Promise<ReferralResponse> {
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
export async function claimInvitation(ctx: ServiceContext, customer: Customer, typed: string): Promise<boolean> {
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
