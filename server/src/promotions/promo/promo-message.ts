import type { PromoRefusal } from "@farline/contract/promotions.ts";
import { formatDollars } from "@farline/domain/money.ts";
import type { Told } from "@farline/texts/reason.ts";
import { AppError } from "../../platform/http/app-error.ts";

/** What a refusal names, in micro-dollars. */
interface PromoBounds {
  readonly leastMicros?: bigint | undefined;
  readonly packageMicros?: bigint | undefined;
}

/** A code that gives nothing stops the purchase: nobody must pay and then miss the bonus. */
export function promoRefused(refusal: PromoRefusal, bounds: PromoBounds): AppError {
  return new AppError("promo_refused", { ...toldOf(refusal, bounds), field: "promo_code" });
}

function toldOf(refusal: PromoRefusal, { leastMicros = 0n, packageMicros }: PromoBounds): Told {
  if (refusal === "too_little") return { reason: "promo_too_little", params: { least: formatDollars(leastMicros) } };
  if (refusal !== "other_package") return { reason: `promo_${refusal}` };
  if (packageMicros === undefined) return { reason: "promo_of_other_package" };
  return { reason: "promo_of_package", params: { amount: formatDollars(packageMicros) } };
}
