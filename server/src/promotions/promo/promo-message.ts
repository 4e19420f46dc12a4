import type { PromoRefusal } from "@farline/contract/promotions.ts";
import { formatDollars } from "@farline/domain/money.ts";
import type { MessageRef } from "@farline/texts/reason.ts";
import { AppError } from "../../platform/app-error.ts";

/** Amounts in a refusal's text, in micro-dollars. */
interface PromoBounds {
  readonly minMicros?: bigint | undefined;
  readonly packageMicros?: bigint | undefined;
}

/** The error for a refused code. It stops the purchase, so that nobody pays without the expected bonus. */
export function promoRefused(refusal: PromoRefusal, bounds: PromoBounds): AppError {
  return new AppError("promo_refused", { ...textOf(refusal, bounds), field: "promo_code" });
}

function textOf(refusal: PromoRefusal, { minMicros = 0n, packageMicros }: PromoBounds): MessageRef {
  if (refusal === "too_little") return { reason: "promo_too_little", params: { min: formatDollars(minMicros) } };
  if (refusal !== "other_package") return { reason: `promo_${refusal}` };
  if (packageMicros === undefined) return { reason: "promo_of_other_package" };
  return { reason: "promo_of_package", params: { amount: formatDollars(packageMicros) } };
}
