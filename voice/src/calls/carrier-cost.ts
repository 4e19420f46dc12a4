import { fromDecimalString, toDecimalString } from "@farline/domain/money.ts";
import type { CallLeg } from "./call-leg.ts";

export interface CarrierCost {
  readonly billedSeconds: number;
  /** US dollars, decimal strings. */
  readonly cost: string;
  readonly pricePerMinute: string;
}

/**
 * What the carrier charges for an ended far leg: whole seconds from answer to end, rounded up, at the trunk's price per minute;
 * the cost is rounded up once, to a micro-dollar. An unanswered leg costs nothing.
 */
export function carrierCost(leg: CallLeg, pricePerMinute: string): CarrierCost {
  const lasted = leg.answeredAt === null || leg.endedAt === null ? 0 : leg.endedAt.getTime() - leg.answeredAt.getTime();
  const billedSeconds = Math.max(0, Math.ceil(lasted / 1000));
  const costMicros = (fromDecimalString(pricePerMinute) * BigInt(billedSeconds) + 59n) / 60n;
  return { billedSeconds, cost: toDecimalString(costMicros), pricePerMinute };
}
