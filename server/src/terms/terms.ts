import type { OperatorCustomerResponse } from "@farline/contract/operator/customers.ts";
import { type CustomerTerms, type TermName, termNames } from "@farline/domain/business/customer-terms.ts";
import type { RiskTier } from "@farline/domain/calls/risk-tier.ts";
import type { OperatorContext } from "../context.ts";
import type { Tx } from "../platform/database/database.ts";
import { limitOf, writeTerm } from "./change-term.ts";
import { listTerms } from "./terms.store.ts";

export { termVerbs } from "./change-term.ts";

/** A customer's tier and limits in force, and for those that an operator has set: until when, by whom and why. */
export async function presentTerms(
  tx: Tx,
  ctx: OperatorContext,
  { customerId, tier, terms }: { readonly customerId: string; readonly tier: RiskTier; readonly terms: CustomerTerms },
): Promise<OperatorCustomerResponse["terms"]> {
  const set = new Map((await listTerms(tx, customerId, ctx.clock.now())).map((term) => [term.name, term]));
  const valueOf = (name: TermName) => (name === "tier" ? tier : String(limitOf(ctx, name, { tier, terms })));
  return termNames.map((name) => {
    const term = set.get(name);
    return {
      name,
      value: writeTerm(name, valueOf(name)),
      set: term === undefined ? null : { until: term.until.toISOString(), by: term.operator, reason: term.reason },
    };
  });
}
