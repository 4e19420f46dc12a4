import { type BillingRate, billedSeconds, chargeFor } from "@farline/domain/calls/charge.ts";
import { rateToDecimalString, toDecimalString } from "@farline/domain/money.ts";
import type { CallLeg } from "./call-leg.ts";

interface CarrierCost {
  readonly billedSeconds: number;
  /** US dollars, decimal strings. */
  readonly cost: string;
  readonly pricePerMinute: string;
}

/** The carrier's charge for an ended far leg, from answer to end. An unanswered leg costs nothing. */
export function carrierCost(leg: CallLeg, rate: BillingRate): CarrierCost {
  const lasted = leg.answeredAt === null || leg.endedAt === null ? 0 : leg.endedAt.getTime() - leg.answeredAt.getTime();
  const seconds = Math.max(0, lasted / 1000);
  return {
    billedSeconds: billedSeconds(seconds, rate),
    cost: toDecimalString(chargeFor(seconds, rate)),
    pricePerMinute: rateToDecimalString(rate.ratePerMinuteMicros),
  };
}
