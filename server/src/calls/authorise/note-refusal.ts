import type { RiskTier } from "@farline/domain/calls/risk-tier.ts";
import type { Logger } from "pino";

/** Whose call was refused. */
export interface Refused {
  readonly customerId: string;
  readonly tier: RiskTier;
}

/** Writes down that a rule refused a call: its id and what it saw. */
export function noteRefusal({ log }: { readonly log: Logger }, refused: Refused, rule: string, inputs: unknown): void {
  const { customerId: customer, tier } = refused;
  log.warn({ customer, tier, rule, inputs }, "call refused by a rule against abuse");
}
