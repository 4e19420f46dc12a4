import type { AnswerOf, EndpointName } from "@farline/contract/api/api.ts";
import { writeInput, type OperationInput } from "@farline/contract/operator/operation-inputs.ts";
import { declarationOf, type operations, type OperationName, type SecondWhen } from "@farline/contract/operator/operations.ts";
import type { Micros } from "@farline/domain/money.ts";
import { actingAs, type Operator, type OperatorContext, type ServiceContext } from "../context.ts";
import type { Transaction } from "../platform/database/database.ts";
import { lockMoneyOperations } from "./approval.store.ts";
import { recordOperation, type Moves, type Operation } from "./operations.store.ts";
import type { Approval } from "./operator.tables.ts";
import { amountOf, confirmProposal, propose } from "./proposals.ts";
import { needsSecond, type Concern, type Once, type Outcome } from "./second-operator.ts";

/** What an operation would do, judged under its locks and not yet done. The record gets all of it but `run`. */
interface AnyPlan<Result> {
  readonly customerId: string | null;
  /** The payment, call, deck or other thing concerned. */
  readonly subject: string | null;
  /** What it can bring to customers at worst. */
  readonly moves: Moves;
  /** What a confirmation must find unchanged. */
  readonly detail?: Operation["detail"];
  /** In place of the input's reason. */
  readonly reason?: string;
  readonly once?: Once | null;
  readonly concerns?: readonly Concern[];
  /** Does it; its `detail` is recorded too. @param approval the confirmed proposal; null if the operator acts alone */
  readonly run: (approval: Approval | null) => Promise<{ readonly result: Result; readonly detail?: Operation["detail"] }>;
}

/** The same, with what decides whether this operation needs a second operator, and with a reason for the audit log. */
export type Plan<N extends OperationName, Result> = AnyPlan<Result> &
  (SecondWhen<N> extends "amount"
    ? {
        readonly customerId: string;
        readonly moves: { readonly amountMicros: Micros; readonly customers: 1 };
        /** Null if the books themselves allow it only once, such as a call's refund. */
        readonly once: Once | null;
      }
    : SecondWhen<N> extends "concern"
      ? { /** Empty for a change that one operator may make alone. */ readonly concerns: readonly Concern[] }
      : { readonly once?: never; readonly concerns?: never }) &
  (OperationInput<N> extends { readonly reason: string } ? unknown : { readonly reason: string });

/** There is nothing to do, and nothing to record. */
export interface Idle<Result> {
  readonly idle: Result;
}

type RouteOf<N extends OperationName> = Extract<(typeof operations)[N]["route"], EndpointName>;

/** An operation as the subject that owns it carries it out. */
export type Verb<N extends OperationName, Result> =
  | PlannedVerb<N, Result>
  | (SecondWhen<N> extends null ? OwnVerb<N, Result> : never);

/**
 * An operation that opens its transactions itself, because it waits for a provider or takes many of them, or is also a customer's own.
 * It records itself under its name: an operator's transaction that recorded nothing is rolled back.
 */
interface OwnVerb<N extends OperationName, Result> {
  readonly order: (ctx: OperatorContext, input: OperationInput<N>) => Promise<Result>;
  readonly respond: PlannedVerb<N, Result>["respond"];
}

interface PlannedVerb<N extends OperationName, Result> {
  /** Takes the locks, judges the input and says what would be done. @throws AppError if it cannot be done */
  readonly plan: (tx: Transaction, ctx: OperatorContext, input: OperationInput<N>) => Promise<Plan<N, Result> | Idle<Result>>;
  /** Continues after the commit, for example at a provider. */
  readonly finish?: (ctx: OperatorContext, result: Result) => Promise<Result>;
  /** What the route answers. @throws AppError instead, if it says so for a proposal */
  readonly respond: (outcome: Outcome<Result>) => AnswerOf<RouteOf<N>>;
  /** Runs it elsewhere when the service does, because it needs much memory. */
  readonly inService?: (ctx: ServiceContext, operator: Operator, order: Order<N>) => Promise<Outcome<Result>>;
}

/** What runs it, without its answer. */
type Runs<N extends OperationName, Result> =
  | Pick<PlannedVerb<N, Result>, "plan" | "finish">
  | (SecondWhen<N> extends null ? Pick<OwnVerb<N, Result>, "order"> : never);

/** An operation's input, and another operator's proposal of it if this one confirms. */
export interface Order<N extends OperationName> {
  readonly input: OperationInput<N>;
  readonly confirms: string | null;
}

/**
 * Runs an operation in one transaction: verifies right, session and proof, lets the verb judge, and then does and records it; or, if it
 * needs a second operator, changes nothing and files a proposal. A confirmation runs the same verb with the proposal's input.
 * @throws AppError as the verb does; conflict for a proposal that this operator may not confirm or that no longer fits
 */
export async function runOperation<N extends OperationName, Result>(
  ctx: OperatorContext,
  name: N,
  verb: Runs<N, Result>,
  { input, confirms }: Order<N>,
): Promise<Outcome<Result>> {
  const { right, second } = declarationOf(name);
  const by = actingAs(ctx, { ...ctx.actor, right: confirms === null || second === undefined ? right : second.decides });
  if ("order" in verb) return { proposal: null, result: await verb.order(by, input) };
  const { outcome, customerId } = await by.transaction(async (tx) => {
    if (second?.when === "amount") await lockMoneyOperations(tx);
    const plan = await verb.plan(tx, by, input);
    if ("idle" in plan) return { outcome: { proposal: null, result: plan.idle } as const, customerId: null };
    return { outcome: await settlePlan(tx, by, { name, plan, input, confirms }), customerId: plan.customerId };
  });
  if (customerId !== null) {
    ctx.live.publish(customerId, { type: "account" });
    ctx.live.publish(customerId, { type: "balance" });
  }
  if (outcome.proposal !== null || verb.finish === undefined) return outcome;
  return { proposal: null, result: await verb.finish(by, outcome.result) };
}

/** Does and records what was planned, or proposes it. The transaction must be committed in both cases. */
export async function settlePlan<N extends OperationName, Result>(
  tx: Transaction,
  ctx: OperatorContext,
  { name, plan, input, confirms }: Order<N> & { readonly name: N; readonly plan: Plan<N, Result> },
): Promise<Outcome<Result>> {
  const { customerId, subject, moves, once }: AnyPlan<Result> = plan;
  const reason = plan.reason ?? (input as { readonly reason: string }).reason;
  const detail: Operation["detail"] = { ...plan.detail, ...(once?.key === undefined ? {} : { key: once.key }) };
  const operation = { action: name, customerId, subject, moves, reason };
  const approval = confirms === null ? null : await confirmProposal(tx, ctx, confirms, (proposed) => isSame(proposed, plan));
  if (approval === null) {
    const needed = await needsSecond(tx, ctx, { ...operation, once: once ?? null, concerns: plan.concerns });
    if (needed !== null && "earlier" in needed) return { proposal: needed.earlier, result: null };
    if (needed !== null) {
      const about = declarationOf(name).subject;
      // By their ids: an address can change hands, and those of erased customers are not kept.
      const kept = about === null ? input : { ...input, [about]: about === "customer" ? customerId : subject };
      const proposed = { ...operation, detail: { ...detail, ...needed.because }, input: writeInput(kept) };
      return { proposal: await propose(tx, ctx, proposed), result: null };
    }
  }
  const done = await plan.run(approval);
  const proposer: Operation["detail"] = approval === null ? {} : { proposed_by: approval.proposer, approval: approval.id };
  await recordOperation(tx, ctx, { ...operation, detail: { ...detail, ...done.detail, ...proposer } });
  return { proposal: null, result: done.result };
}

/** Whether a proposal is what would be done now: the same thing, no more than proposed, and for no other concern. */
function isSame<Result>(proposed: Approval, { moves, ...plan }: AnyPlan<Result>): boolean {
  const known = String(proposed.detail["concerns"]).split(" ");
  const amount = amountOf(moves);
  return (
    proposed.customer_id === plan.customerId &&
    proposed.subject === plan.subject &&
    (plan.concerns === undefined ? proposed.amount_micros === amount : covers(proposed.amount_micros, amount)) &&
    Object.entries(plan.detail ?? {}).every(([key, value]) => proposed.detail[key] === value) &&
    (plan.concerns ?? []).every(({ kind }) => known.includes(kind))
  );
}

/** Whether the proposed amount is at least what the change would move now. */
function covers(proposed: Micros | null, now: Micros | null): boolean {
  return now === null || (proposed !== null && now <= proposed);
}
