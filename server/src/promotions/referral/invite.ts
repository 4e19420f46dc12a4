import { randomInt } from "node:crypto";
import type { ReferralResponse } from "@farline/contract/promotions.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import type { Customer } from "../../accounts/accounts.ts";
import { referralRules } from "../promotion-limits.ts";
import type { PromotionDependencies } from "../promotion-dependencies.ts";
import { countReferrals, insertReferral, keepCode, ownerOfCode } from "./referral.store.ts";

/** Without easily confused letters and digits. */
const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const CODE_LENGTH = 8;
const CODE = /^[A-Z2-9]{8}$/;
/** Retries for the rare collision of random codes. */
const MAX_ATTEMPTS = 5;

type InviteDependencies = Pick<PromotionDependencies, "handle" | "clock" | "config">;

/** A customer's invitation and its results. */
export async function readInvitation(deps: InviteDependencies, customer: Customer): Promise<ReferralResponse> {
  const { referralMicros } = deps.config.promotions;
  const code = await ownCode(deps, customer.id);
  const { invited, rewarded, earnedMicros } = await countReferrals(deps.handle.db, customer.id);
  return {
    enabled: referralMicros > 0n,
    code,
    link: `${deps.config.publicUrl}/register?ref=${code}`,
    bonus: toDecimalString(referralMicros),
    least_top_up: toDecimalString(referralRules.leastMicros),
    invited,
    rewarded,
    earned: toDecimalString(earnedMicros),
  };
}

/**
 * Records whose link a customer came by, once, soon after sign-up.
 * @returns false for an unknown code, one's own, or a claim that comes too late
 */
export async function claimInvitation(deps: InviteDependencies, customer: Customer, typed: string): Promise<boolean> {
  const code = typed.trim().toUpperCase();
  const now = deps.clock.now();
  const age = now.getTime() - customer.createdAt.getTime();
  if (deps.config.promotions.referralMicros === 0n || age > referralRules.claimWithinMs || !CODE.test(code)) return false;
  const inviterId = await ownerOfCode(deps.handle.db, code);
  if (inviterId === undefined || inviterId === customer.id) return false;
  return insertReferral(deps.handle.db, { invitedId: customer.id, inviterId, now });
}

async function ownCode(deps: InviteDependencies, customerId: string): Promise<string> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const fresh = Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
    const code = await keepCode(deps.handle.db, { customerId, fresh, now: deps.clock.now() });
    if (code !== null) return code;
  }
  throw new Error("No free code for an invitation was found.");
}
