import type { Generated } from "kysely";

/** Kysely types of this subject's tables. */
export interface PromotionTables {
  promo_campaign: {
    id: string;
    code: string;
    kind: "percent" | "fixed" | "package";
    bonus_percent: number | null;
    bonus_micros: bigint | null;
    package_id: string | null;
    least_micros: bigint;
    most_uses: number | null;
    budget_micros: bigint | null;
    uses: Generated<number>;
    promised_micros: Generated<bigint>;
    starts_at: Date;
    ends_at: Date | null;
    ended_at: Date | null;
    created_at: Date;
  };
  promo_use: {
    payment_id: string;
    campaign_id: string;
    customer_id: string;
    bonus_micros: bigint;
    state: Generated<"reserved" | "granted" | "released">;
    card_fingerprint: string | null;
    created_at: Date;
    settled_at: Date | null;
  };
  referral_code: {
    customer_id: string;
    code: string;
    created_at: Date;
  };
  referral: {
    invited_id: string;
    inviter_id: string;
    state: Generated<"invited" | "rewarded" | "refused" | "taken_back">;
    refusal: ReferralRefusal | null;
    payment_id: string | null;
    paid_micros: bigint | null;
    card_shared: Generated<boolean>;
    paid_at: Date | null;
    /** The cause in the keys of the postings that took a reward back. */
    taken_for: Generated<string | null>;
    invited_bonus_micros: Generated<bigint>;
    inviter_bonus_micros: Generated<bigint>;
    next_look_at: Date | null;
    created_at: Date;
    decided_at: Date | null;
  };
  first_call: {
    customer_id: string;
    state: Generated<"due" | "granted" | "refused">;
    refusal: FirstCallRefusal | null;
    bonus_micros: Generated<bigint>;
    next_look_at: Date | null;
    created_at: Date;
    decided_at: Date | null;
  };
  free_credit: {
    key: string;
    customer_id: string;
    kind: FreeCreditKind;
    amount_micros: bigint;
    given_at: Date;
  };
}

export type FreeCreditKind = "first_call" | "referral" | "promo";

export type ReferralRefusal =
  | "not_verified"
  | "too_small"
  | "frozen"
  | "disposable_address"
  | "same_address"
  | "same_browser"
  | "same_network"
  | "same_card"
  | "no_origin"
  | "budget"
  | "returned";
export type FirstCallRefusal =
  | "off"
  | "frozen"
  | "same_address"
  | "disposable_address"
  | "same_browser"
  | "same_network"
  | "no_origin"
  | "budget";
