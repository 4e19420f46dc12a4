import type { OperatorRole } from "@farline/contract/operator/rights.ts";
import type { OperatorContext } from "../context.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { formatDollars, largerOf, MICROS_PER_DOLLAR, smallerOf, type Micros } from "@farline/domain/money.ts";
import { AppError } from "../platform/app-error.ts";
import type { Transaction, Tx } from "../platform/database/database.ts";
import { findDone, findProposed, lockMoneyOperations, sumMovedAlone, wasDone } from "./approval.store.ts";
import { recordOperation, type Operation } from "./operations.store.ts";
import type { Approval } from "./operator.tables.ts";
import { amountOf, confirmProposal, propose, proposerOf, type Proposable } from "./proposals.ts";

/**
 * By the operator's role: what may reach one customer in 24 hours, by any means, above which a second operator must confirm. What may reach
 * many, such as a promo code, counts with everything else that its operator moved.
 */
const ALONE_MICROS: Readonly<Record<OperatorRole, Micros>> = {
  support: 20n * MICROS_PER_DOLLAR,
  finance: 100n * MICROS_PER_DOLLAR,
  admin: 100n * MICROS_PER_DOLLAR,
};
/** The limit for all accounts and operators together, so that many small amounts also need a second operator. */
const SINGLE_OPERATOR_TOTAL_MICROS = 1_000n * MICROS_PER_DOLLAR;
const REASONS_LENGTH = 2_000;
/** The same movement within this time is taken for a repetition by mistake. */
const REPEATED_WITHIN_MS = 60 * 60 * 1000;

/** Operator actions that move a customer's money, by their names in the audit log. */
type MoneyAction = "refund" | "write_off" | "grant-call-refund" | "adjust" | "deduct";

/** Guards an order that could be carried out twice by mistake: by a double click, a reload or two operators. */
export interface Once {
  /** Made when the form opened: the same key never moves money twice. */
  readonly key?: string | undefined;
  /** The operator knows of the same movement within the last hour, and means another one. */
  readonly again?: boolean | undefined;
}

/** An operation that moves money. */
export interface MoneyOperation extends Omit<Proposable, "moves"> {
  readonly action: MoneyAction;
  readonly customerId: string;
  readonly amountMicros: Micros;
  /** Null if the books themselves allow it only once, such as a call's refund. */
  readonly once: Once | null;
}

/** Why a change needs a second operator. */
export interface Concern {
  /** Names the rule. */
  readonly kind: string;
  /** A sentence with the figures. */
  readonly text: string;
}

/** A change of prices, settings, terms or offers. `detail` is what a confirmation must find unchanged. */
export interface GuardedChange extends Omit<Proposable, "customerId"> {
  /** Whom it concerns; null if it concerns everybody. */
  readonly customerId?: string | null;
  /** Empty for a change that one operator may make alone. */
  readonly concerns: readonly Concern[];
}

/** The outcome: a proposal that must be confirmed, or the result. */
export type Moved<Result> =
  | { readonly proposal: Approval; readonly result: null }
  | { readonly proposal: null; readonly result: Result };

type Run<Result> = (approval: Approval | null) => Promise<{ readonly result: Result; readonly detail?: Operation["detail"] }>;

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
  const { once, amountMicros, ...given } = operation;
  const { customerId, confirms } = operation;
  const proposable = { ...given, moves: { amountMicros, customers: 1 } };
  const detail: Operation["detail"] = { ...operation.detail, ...(once?.key === undefined ? {} : { key: once.key }) };
  await lockMoneyOperations(tx);
  const approval =
    confirms === null ? null : await confirmProposal(tx, ctx, confirms, (proposed) => isSameMove(proposed, operation));
  if (approval === null) {
    const proposed = once === null ? null : await refuseRepetition(tx, ctx, operation, once);
    if (proposed !== null) return { proposal: proposed, result: null };
    if (amountMicros > (await readAloneLeft(tx, ctx, customerId)))
      return { proposal: await propose(tx, ctx, { ...proposable, detail }), result: null };
  }
  const done = await run(approval);
  await recordOperation(tx, ctx, {
    ...proposable,
    detail: { ...detail, ...done.detail, ...proposerOf(approval) },
  });
  return { proposal: null, result: done.result };
}

/** What this operator may still move without a second operator, for a customer or with what everyone can use. */
export async function readAloneLeft(tx: Tx, { actor, clock }: OperatorContext, customerId: string | null): Promise<Micros> {
  const since = new Date(clock.now().getTime() - DAY_MS);
  const before = await sumMovedAlone(tx, { customerId, operatorId: actor.id, since });
  const moved =
    customerId === null ? largerOf(before.toManyMicros, before.ownMicros) : before.ofCustomerMicros + before.ownToManyMicros;
  const left = smallerOf(ALONE_MICROS[actor.role] - moved, SINGLE_OPERATOR_TOTAL_MICROS - before.altogetherMicros);
  return left > 0n ? left : 0n;
}

/**
 * Whether a change that could bring this much to customers is more than its operator may move alone. Exact under `lockMoneyOperations`.
 */
export async function concernsAboutAmount(
  tx: Transaction,
  ctx: OperatorContext,
  { customerId, amountMicros }: { readonly customerId: string | null; readonly amountMicros: Micros | null },
): Promise<Concern[]> {
  const aloneMicros = await readAloneLeft(tx, ctx, customerId);
  if (amountMicros !== null && amountMicros <= aloneMicros) return [];
  const most = amountMicros === null ? "any amount" : `up to $${formatDollars(amountMicros)}`;
  const text = `It could bring ${most} to ${customerId === null ? "customers" : "the customer"}; in 24 hours one operator may still move $${formatDollars(aloneMicros)} alone.`;
  return [{ kind: "beyond_alone", text }];
}

/** @throws AppError conflict if this very order was carried out already */
export async function refuseDone(
  tx: Transaction,
  order: { readonly action: MoneyAction; readonly customerId: string },
  { key }: Once,
): Promise<void> {
  if (key !== undefined && (await wasDone(tx, { ...order, key })))
    throw new AppError("conflict", { reason: "operator.done_already" });
}

/**
 * Exact under `lockMoneyOperations`.
 * @returns the open proposal that this very order made earlier, or null
 * @throws AppError conflict if this order was carried out already, or another operator did or proposed the same within the last hour
 */
async function refuseRepetition(
  tx: Transaction,
  { clock }: OperatorContext,
  operation: MoneyOperation,
  once: Once,
): Promise<Approval | null> {
  const key = once.key ?? null;
  const now = clock.now();
  const since = new Date(now.getTime() - REPEATED_WITHIN_MS);
  const same = { ...operation, key, since, now };
  await refuseDone(tx, operation, once);
  const proposals = await findProposed(tx, same);
  const earlier = proposals.find(({ detail }) => key !== null && detail["key"] === key);
  if (earlier !== undefined || once.again === true) return earlier ?? null;
  const done = await findDone(tx, same);
  const repeated = done ?? proposals.map(({ proposer, proposed_at: at }) => ({ operator: proposer, at }))[0];
  if (repeated === undefined) return null;
  const params = { operator: repeated.operator, time: repeated.at.toISOString() };
  throw new AppError("conflict", { reason: "operator.done_before", params });
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
  const operation = { ...change, customerId: change.customerId ?? null };
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
  const { result, detail } = await run(approval);
  await recordOperation(tx, ctx, { ...operation, detail: { ...change.detail, ...detail, ...proposerOf(approval) } });
  return { proposal: null, result };
}

/** Returns the result after the commit. @throws AppError conflict that tells how a second operator confirms a proposal */
export function resultOf<Result>(moved: Moved<Result>): Result {
  if (moved.proposal === null) return moved.result;
  throw waitingFor(moved.proposal);
}

/** The error that tells how a second operator confirms a proposal. */
export function waitingFor({ id, proposer, detail }: Approval): AppError {
  const { why } = detail;
  const params = { proposer, proposal: id };
  return typeof why === "string"
    ? new AppError("conflict", { reason: "operator.second_operator_change", params: { ...params, why } })
    : new AppError("conflict", { reason: "operator.second_operator", params });
}

/** Whether the error tells that an operation waits for a second operator. */
export function isWaiting({ messageRef }: AppError): boolean {
  return messageRef.reason === "operator.second_operator" || messageRef.reason === "operator.second_operator_change";
}

/** The proposal that an order became, or null once it was carried out, with what it answered. @throws what the order throws otherwise */
export async function orProposed<Done>(
  order: Promise<Done>,
): Promise<{ readonly proposal: string; readonly done: null } | { readonly proposal: null; readonly done: Done }> {
  try {
    return { proposal: null, done: await order };
  } catch (error) {
    if (!(error instanceof AppError) || !isWaiting(error)) throw error;
    return { proposal: String(error.messageRef.params?.["proposal"]), done: null };
  }
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
    approval.customer_id === (change.customerId ?? null) &&
    approval.subject === change.subject &&
    covers(approval.amount_micros, amountOf(change.moves)) &&
    Object.entries(change.detail ?? {}).every(([name, value]) => approval.detail[name] === value) &&
    kinds.split(" ").every((kind) => kind === "" || known.includes(kind))
  );
}

/** Whether the proposed amount is at least what the change would move now. */
function covers(proposed: Micros | null, now: Micros | null): boolean {
  return now === null || (proposed !== null && now <= proposed);
}
