import { readInput } from "@farline/contract/operator/operation-inputs.ts";
import type { OperationName } from "@farline/contract/operator/operations.ts";
import { disputeVerbs, monthVerbs, reconcileVerbs, refundVerbs } from "../billing/billing.ts";
import { callerNumberVerbs, callRefundVerbs, exchangeVerbs, hangUpVerbs } from "../calls/calls.ts";
import { caseVerbs } from "../cases/cases.ts";
import { actingAs, type Operator, type OperatorContext, type ServiceContext } from "../context.ts";
import { deckVerbs } from "../decks/decks.ts";
import {
  accountVerbs,
  peopleVerbs,
  proposalVerbs,
  runOperation,
  whyNotConfirm,
  type Approval,
  type Order,
  type Outcome,
  type Verb,
} from "../operator/operator.ts";
import { AppError } from "../platform/app-error.ts";
import { promoVerbs } from "../promotions/promotions.ts";
import { personalDataVerbs } from "../personal-data/personal-data.ts";
import { evidenceVerbs } from "../queue/queue.ts";
import { restoreVerbs } from "../restore/restore.ts";
import { breakerVerbs } from "../risk/risk.ts";
import { settingVerbs } from "../settings/settings.ts";
import { termVerbs } from "../terms/terms.ts";

/** Every operation's verb, by its name. */
const verbs = {
  ...accountVerbs,
  ...peopleVerbs,
  ...proposalVerbs,
  ...refundVerbs,
  ...callRefundVerbs,
  ...hangUpVerbs,
  ...caseVerbs,
  ...deckVerbs,
  ...promoVerbs,
  ...settingVerbs,
  ...termVerbs,
  ...breakerVerbs,
  ...callerNumberVerbs,
  ...exchangeVerbs,
  ...disputeVerbs,
  ...evidenceVerbs,
  ...reconcileVerbs,
  ...monthVerbs,
  ...restoreVerbs,
  ...personalDataVerbs,
};
type Verbs = typeof verbs;

/** What an operation results in. */
export type ResultOf<N extends OperationName> = Verbs[N] extends Verb<N, infer Result> ? Result : never;

/** An operation's verb. */
export function verbOf<N extends OperationName>(name: N): Verb<N, ResultOf<N>> {
  const all: { readonly [One in OperationName]: Verb<One, any> } = verbs;
  return all[name];
}

/** Does what an operator ordered, or files it as a proposal. @throws AppError as the verb does */
export function performInService<N extends OperationName>(
  ctx: ServiceContext,
  operator: Operator,
  name: N,
  order: Order<N>,
): Promise<Outcome<ResultOf<N>>> {
  const verb = verbOf(name);
  const elsewhere = "inService" in verb ? verb.inService?.(ctx, operator, order) : undefined;
  return elsewhere ?? runOperation(actingAs(ctx, operator), name, verb, order);
}

/**
 * What a proposal would do, for its second operator to run.
 * @throws AppError for who may not confirm it; conflict if it is of another version
 */
export async function readProposed(
  ctx: OperatorContext,
  approval: Approval,
): Promise<{ name: OperationName; order: Order<any> }> {
  const refusal = await whyNotConfirm(ctx.handle.db, approval, ctx.actor, ctx.clock.now());
  if (refusal !== null) throw refusal;
  const name = approval.action as OperationName;
  const read = readInput(name, approval.input, approval.reason);
  if ("wrong" in read) throw new AppError("conflict", { reason: "operator.proposal_stale" });
  return { name, order: { input: read.input, confirms: approval.id } };
}
