import type { PromoRefusal } from "@farline/contract/promotions.ts";
import { formatDollars } from "@farline/domain/money.ts";
import { AppError } from "../../platform/http/app-error.ts";

/** What a refusal names, in micro-dollars. */
interface PromoBounds {
  readonly leastMicros?: bigint | undefined;
  readonly packageMicros?: bigint | undefined;
}

/** A code that gives nothing stops the purchase: nobody must pay and then miss the bonus. */
export function promoRefused(refusal: PromoRefusal, bounds: PromoBounds): AppError {
  const message = messageOf(refusal, bounds);
  return new AppError("promo_refused", message, { fields: { promo_code: [message] } });
}

const MESSAGES: Readonly<Record<Exclude<PromoRefusal, "too_little" | "other_package">, string>> = {
  unknown: "This promo code does not exist.",
  not_started: "This promo code is not valid yet.",
  expired: "This promo code has expired.",
  used_up: "This promo code has been used up.",
  used_up_today: "No more of this promo code is given today. Try again tomorrow.",
  used_before: "You have already used this promo code.",
};

function messageOf(refusal: PromoRefusal, { leastMicros = 0n, packageMicros }: PromoBounds): string {
  if (refusal === "too_little") return `This promo code needs a top-up of at least $${formatDollars(leastMicros)}.`;
  if (refusal !== "other_package") return MESSAGES[refusal];
  if (packageMicros === undefined) return "This promo code is for another package.";
  return `This promo code is for the $${formatDollars(packageMicros)} package.`;
}
