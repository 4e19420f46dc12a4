import type { OperatorRole } from "@farline/contract/operator/rights.ts";
import type { OperatorContext } from "../context.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { MICROS_PER_DOLLAR, type Micros } from "@farline/domain/money.ts";
import { AppError } from "../platform/app-error.ts";
import type { Transaction } from "../platform/database/database.ts";
import { sumMovedAlone, lockMoneyOperations } from "./approval.store.ts";
import { recordOperation, type Operation } from "./operations.store.ts";
import type { Approval } from "./operator.tables.ts";
import { confirmProposal, propose, proposerOf, type Proposable } from "./proposals.ts";

/** By the operator's role: the limit on a customer's account in 24 hours, above which a second operator must confirm. */
const ALONE_MICROS: Readonly<Record<OperatorRole, Micros>> = {
  support: 20n * MICROS_PER_DOLLAR,
  finance: 100n * MICROS_PER_DOLLAR,
  admin: 100n * MICROS_PER_DOLLAR,
};
/** The limit for all accounts and operators together, so that many small amounts also need a second operator. */
const SINGLE_OPERATOR_TOTAL_MICROS = 1_000n * MICROS_PER_DOLLAR;
const REASONS_LENGTH = 2_000;

/** Operator actions that move money, by their names in the audit log. */
const MONEY_ACTIONS = ["refund", "write_off", "grant-call-refund", "adjust"] as const;
type MoneyAction = (typeof MONEY_ACTIONS)[number];

/** An operation that moves money. */
export interface MoneyOperation extends Proposable {
  readonly action: MoneyAction;
  readonly customerId: string;
  readonly amountMicros: Micros;
}

/** Why a change needs a second operator. */
export interface Concern {
  /** Names the rule. */
  readonly kind: string;
  /** A sentence with the figures. */
  readonly text: string;
}

/** A change of prices or settings. `detail` is what a confirmation must find unchanged. */
export interface GuardedChange extends Omit<Proposable, "amountMicros" | "customerId"> {
  /** Empty for a change that one operator may make alone. */
  readonly concerns: readonly Concern[];
}

/** The outcome: a proposal that must be confirmed, or the result. */
export type Moved<Result> =
  | { readonly proposal: Approval; readonly result: null }
  | { readonly proposal: null; readonly result: Result };

type Run<Result> = () => Promise<{ readonly result: Result; readonly detail?: Operation["detail"] }>;

/**
 * Runs an operator's money operation and records it in one transaction, or, above the limit, moves nothing and writes a proposal for a
 * second operator. The transaction must be committed in both cases; `resultOf` then reports the proposal.
 * @param run moves the money; its `detail` is recorded
 * @throws AppError not_found; conflict for a proposal that this operator may not confirm or that differs
 */
export async function moveMoney<Result>(
  tx: Transaction,
  ctx: OperatorContext,
  operation: MoneyOperation,
  run: Run<Result>,
): Promise<Moved<Result>> {
  const { customerId, amountMicros, confirms } = operation;
  await lockMoneyOperations(tx);
  const approval =
    confirms === null ? null : await confirmProposal(tx, ctx, confirms, (proposed) => isSameMove(proposed, operation));
  if (approval === null) {
    const since = new Date(ctx.clock.now().getTime() - DAY_MS);
    const before = await sumMovedAlone(tx, { customerId, actions: MONEY_ACTIONS, since });
    const isTooMuch =
      before.ofCustomerMicros + amountMicros > ALONE_MICROS[ctx.actor.role] ||
      before.altogetherMicros + amountMicros > SINGLE_OPERATOR_TOTAL_MICROS;
    if (isTooMuch) return { proposal: await propose(tx, ctx, operation), result: null };
  }
  const { result, detail } = await run();
  await recordOperation(tx, ctx, {
    ...operation,
    detail: { ...operation.detail, ...detail, ...proposerOf(approval), amount_micros: String(amountMicros) },
  });
  return { proposal: null, result };
}

/**
 * Runs a change of prices or settings and records it, or, if there are concerns, changes nothing and writes a proposal for a second
 * operator. A confirmation is judged again: a concern that the proposal did not name makes it stale. Commit as with `moveMoney`.
 * @param run makes the change; its `detail` is recorded
 * @throws AppError not_found; conflict for a proposal that this operator may not confirm or that differs
 */
export async function guardChange<Result>(
  tx: Transaction,
  ctx: OperatorContext,
  { concerns, ...change }: GuardedChange,
  run: Run<Result>,
): Promise<Moved<Result>> {
  const operation = { ...change, customerId: null, amountMicros: null };
  const kinds = [...new Set(concerns.map(({ kind }) => kind))].join(" ");
  const reasons = concerns
    .map(({ text }) => text)
    .join(" ")
    .slice(0, REASONS_LENGTH);
  if (change.confirms === null && concerns.length > 0) {
    const detail = { ...change.detail, concerns: kinds, why: reasons };
    return { proposal: await propose(tx, ctx, { ...operation, detail }), result: null };
  }
  const approval =
    change.confirms === null
      ? null
      : await confirmProposal(tx, ctx, change.confirms, (proposed) => isSameChange(proposed, change, kinds));
  const { result, detail } = await run();
  await recordOperation(tx, ctx, { ...operation, detail: { ...change.detail, ...detail, ...proposerOf(approval) } });
  return { proposal: null, result };
}

/** Returns the result after the commit. @throws AppError conflict that tells how a second operator confirms a proposal */
export function resultOf<Result>(moved: Moved<Result>): Result {
  if (moved.proposal === null) return moved.result;
  throw waitingFor(moved.proposal);
}

/** The error that tells how a second operator confirms a proposal. */
export function waitingFor({ id, proposer, amount_micros: amount, detail }: Approval): AppError {
  const params = { proposer, proposal: id };
  return amount === null
    ? new AppError("conflict", {
        reason: "operator.second_operator_change",
        params: { ...params, why: typeof detail["why"] === "string" ? detail["why"] : "" },
      })
    : new AppError("conflict", { reason: "operator.second_operator", params });
}

/** Whether the error tells that an operation waits for a second operator. */
export function isWaiting({ told }: AppError): boolean {
  return told.reason === "operator.second_operator" || told.reason === "operator.second_operator_change";
}

function isSameMove(approval: Approval, { action, customerId, subject, amountMicros }: MoneyOperation): boolean {
  return (
    approval.action === action &&
    approval.customer_id === customerId &&
    approval.subject === subject &&
    approval.amount_micros === amountMicros
  );
}

function isSameChange(approval: Approval, change: Omit<GuardedChange, "concerns">, kinds: string): boolean {
  const known = String(approval.detail["concerns"]).split(" ");
  return (
    approval.action === change.action &&
    approval.subject === change.subject &&
    Object.entries(change.detail ?? {}).every(([name, value]) => approval.detail[name] === value) &&
    kinds.split(" ").every((kind) => kind === "" || known.includes(kind))
  );
}
