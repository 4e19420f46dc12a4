import { declarationOf, type OperationName, type ProposableName } from "@farline/contract/operator/operations.ts";
import type { OperatorRole } from "@farline/contract/operator/rights.ts";
import type { OperatorContext } from "../context.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { formatDollars, largerOf, MICROS_PER_DOLLAR, smallerOf, type Micros } from "@farline/domain/money.ts";
import { AppError } from "../platform/app-error.ts";
import type { Transaction, Tx } from "../platform/database/database.ts";
import { findDone, findProposed, sumMovedAlone, wasDone } from "./approval.store.ts";
import type { Moves } from "./operations.store.ts";
import type { Approval } from "./operator.tables.ts";

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

/** Guards an order that could be carried out twice by mistake: by a double click, a reload or two operators. */
export interface Once {
  /** Made when the form opened: the same key never moves money twice. */
  readonly key?: string | undefined;
  /** The operator knows of the same movement within the last hour, and means another one. */
  readonly again?: boolean | undefined;
}

/** The outcome: a proposal that must be confirmed, or the result. */
export type Outcome<Result> =
  | { readonly proposal: Approval; readonly result: null }
  | { readonly proposal: null; readonly result: Result };

/** Why a change needs a second operator. */
export interface Concern {
  /** Names the rule. */
  readonly kind: string;
  /** A sentence with the figures. */
  readonly text: string;
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

/** Whether so much frozen credit takes a second operator to release. Exact under `lockMoneyOperations`. */
export async function concernsAboutCredit(
  tx: Transaction,
  ctx: OperatorContext,
  { customerId, amountMicros }: { readonly customerId: string; readonly amountMicros: Micros },
): Promise<Concern[]> {
  const aloneMicros = await readAloneLeft(tx, ctx, customerId);
  if (amountMicros <= aloneMicros) return [];
  const text = `The account was frozen because of a payment, and $${formatDollars(amountMicros)} of its credit could be spent; one operator may release $${formatDollars(aloneMicros)}.`;
  return [{ kind: "frozen_credit", text }];
}

/** @throws AppError conflict if this very order was carried out already */
export async function refuseDone(
  tx: Transaction,
  order: { readonly action: ProposableName; readonly customerId: string },
  { key }: Once,
): Promise<void> {
  if (key !== undefined && (await wasDone(tx, { ...order, key })))
    throw new AppError("conflict", { reason: "operator.done_already" });
}

/** What would be done, with what decides whether one operator may do it. */
interface Judged {
  readonly action: OperationName;
  readonly customerId: string | null;
  readonly subject: string | null;
  readonly moves: Moves;
  readonly once: Once | null;
  /** Undefined where the amount decides. */
  readonly concerns: readonly Concern[] | undefined;
}

/** Why it waits: the open proposal that this very order made earlier, or what a new one must say. */
type Needed = { readonly earlier: Approval } | { readonly because: Readonly<Record<string, string>> };

/**
 * Whether it needs a second operator; null if it does not. Exact under `lockMoneyOperations` where the amount decides.
 * @throws AppError conflict for a repetition
 */
export async function needsSecond(tx: Transaction, ctx: OperatorContext, judged: Judged): Promise<Needed | null> {
  const { action, customerId, moves, once, concerns } = judged;
  const when = declarationOf(action).second?.when ?? null;
  if (when === null) return null;
  if (when === "concern") return concerns === undefined || concerns.length === 0 ? null : { because: wordsOf(concerns) };
  const amountMicros = moves.amountMicros;
  if (customerId === null || amountMicros === null) throw new Error(`${action} moves no certain amount of one customer.`);
  const earlier = once === null ? null : await refuseRepetition(tx, ctx, { ...judged, customerId, amountMicros }, once);
  if (earlier !== null) return { earlier };
  return amountMicros > (await readAloneLeft(tx, ctx, customerId)) ? { because: {} } : null;
}

function wordsOf(concerns: readonly Concern[]): Readonly<Record<string, string>> {
  const kinds = new Set(concerns.map(({ kind }) => kind));
  const reasons = concerns.map(({ text }) => text).join(" ");
  return { concerns: [...kinds].join(" "), why: reasons.slice(0, REASONS_LENGTH) };
}

/**
 * Exact under `lockMoneyOperations`.
 * @returns the open proposal that this very order made earlier, or null
 * @throws AppError conflict if this order was carried out already, or another operator did or proposed the same within the last hour
 */
async function refuseRepetition(
  tx: Transaction,
  { clock }: OperatorContext,
  { action, ...order }: Pick<Judged, "action" | "subject"> & { readonly customerId: string; readonly amountMicros: Micros },
  once: Once,
): Promise<Approval | null> {
  const key = once.key ?? null;
  const now = clock.now();
  const since = new Date(now.getTime() - REPEATED_WITHIN_MS);
  const same = { ...order, action, key, since, now };
  if (key !== null && (await wasDone(tx, { action, customerId: order.customerId, key })))
    throw new AppError("conflict", { reason: "operator.done_already" });
  const proposals = await findProposed(tx, same);
  const earlier = proposals.find(({ detail }) => key !== null && detail["key"] === key);
  if (earlier !== undefined || once.again === true) return earlier ?? null;
  const done = await findDone(tx, same);
  const repeated = done ?? proposals.map(({ proposer, proposed_at: at }) => ({ operator: proposer, at }))[0];
  if (repeated === undefined) return null;
  const params = { operator: repeated.operator, time: repeated.at.toISOString() };
  throw new AppError("conflict", { reason: "operator.done_before", params });
}

/** Returns the result after the commit. @throws AppError conflict that tells how a second operator confirms a proposal */
export function resultOf<Result>({ proposal, result }: Outcome<Result>): Result {
  if (proposal === null) return result;
  throw waitingFor(proposal);
}

/** The error that tells how a second operator confirms a proposal. */
function waitingFor({ id, proposer, detail }: Approval): AppError {
  const { why } = detail;
  const params = { proposer, proposal: id };
  return typeof why === "string"
    ? new AppError("conflict", { reason: "operator.second_operator_change", params: { ...params, why } })
    : new AppError("conflict", { reason: "operator.second_operator", params });
}
