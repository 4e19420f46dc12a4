import { reason } from "@farline/texts/reason.ts";
import type { Endpoints } from "./api/endpoint.ts";
import { MAX_TYPED_CODE_LENGTH } from "@farline/domain/typed/typed-codes.ts";
import { z } from "zod";
import { dollars, instant, typedDollars } from "./values.ts";

/** The field of a top-up that carries a code as typed (`readPromoCode`); empty for none. */
export const promoCodeField = z.string().max(MAX_TYPED_CODE_LENGTH, reason("promo_too_long")).optional();

/** Why a code is refused. */
const promoRefusal = z.enum([
  "unknown",
  "not_started",
  "expired",
  "used_up",
  /** Today's budget for free credit is used up; try again tomorrow. */
  "used_up_today",
  /** Too many unpaid checkouts of confirmed accounts hold codes; they end within half an hour. */
  "used_up_for_now",
  /** Too many unpaid checkouts hold codes for another account whose address is not confirmed. */
  "confirm_first",
  /** Already used by this customer for another payment. */
  "used_before",
  /** The top-up is below `min_amount`. */
  "too_little",
  /** The code is valid only for the package that costs `package_amount`. */
  "other_package",
]);
export type PromoRefusal = z.infer<typeof promoRefusal>;

/** `POST /api/billing/promo/check`: the bonus that a code would add to a top-up, of a dollar amount or a package. */
const promoCheckRequest = z.object({
  code: z.string({ error: reason("promo_needed") }).max(MAX_TYPED_CODE_LENGTH, reason("promo_too_long")),
  amount: typedDollars.optional(),
  package_id: z.union([z.string().max(60), z.number().int()]).optional(),
});

/** Its answer. A refused code is an answer, not an error, because nothing has been bought yet. */
export const promoCheckResponse = z.object({
  code: z.string(),
  /** Bonus in dollars; "0.00" if refused. */
  bonus: dollars,
  refusal: promoRefusal.nullable(),
  /** The minimum payment, when the refusal is due to it. */
  min_amount: dollars.nullable(),
  package_amount: dollars.nullable(),
  /** When it expires; null if it does not. */
  ends_at: instant.nullable(),
});
export type PromoCheckResponse = z.infer<typeof promoCheckResponse>;

/** Answer of `GET /api/referral`: the customer's own invitation. */
const referralResponse = z.object({
  /** False when invitations earn no bonus; the page then hides this section. */
  enabled: z.boolean(),
  code: z.string(),
  link: z.url(),
  /** Bonus for each of the two. */
  bonus: dollars,
  /** Minimum first top-up by the invitee. */
  min_top_up: dollars,
  /** Number of people who signed up with the link. */
  invited: z.number().int(),
  /** Number of them whose first top-up earned the bonus. */
  rewarded: z.number().int(),
  earned: dollars,
});
export type ReferralResponse = z.infer<typeof referralResponse>;

/** `POST /api/referral/claim`: records which customer's link a new customer signed up with. */
const referralClaimRequest = z.object({ code: z.string().max(60) });
/** `accepted` is false for an unknown code, the customer's own code, or a late claim. */
const referralClaimResponse = z.object({ accepted: z.boolean(), bonus: dollars });

export const promotionEndpoints = {
  "POST /api/billing/promo/check": {
    access: "customer",
    body: promoCheckRequest,
    answer: promoCheckResponse,
    refusals: ["promo_refused"],
  },
  "GET /api/referral": { access: "customer", answer: referralResponse },
  "POST /api/referral/claim": { access: "customer", body: referralClaimRequest, answer: referralClaimResponse },
} as const satisfies Endpoints;
