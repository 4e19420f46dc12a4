import type { Context, OperatorContext } from "../context.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { isUuid } from "@farline/domain/uuid.ts";
import { formatDollars, MICROS_PER_DOLLAR, type Micros } from "@farline/domain/money.ts";
import { uuidv7 } from "uuidv7";
import { AppError } from "../platform/app-error.ts";
import type { Transaction } from "../platform/database/database.ts";
import {
  decideApproval,
  insertApproval,
  listOpenApprovals,
  lockOpenApproval,
  sumMovedAlone,
  lockMoneyOperations,
} from "./approval.store.ts";
import { recordOperation, type Operation } from "./operations.store.ts";
import type { Approval } from "./operator.tables.ts";

/** The limit on a customer's account in 24 hours, above which a second operator must confirm. */
const SINGLE_OPERATOR_MICROS = 100n * MICROS_PER_DOLLAR;
/** The same limit for all accounts together, so that many small amounts also need a second operator. */
const SINGLE_OPERATOR_TOTAL_MICROS = 1_000n * MICROS_PER_DOLLAR;
const OPEN_MS = DAY_MS;

/** Operator actions that move money, by their names in the audit log. */
const MONEY_ACTIONS = ["refund", "write_off", "grant-call-refund"] as const;
type MoneyAction = (typeof MONEY_ACTIONS)[number];

/** An operation that moves money. */
export interface MoneyOperation extends Operation {
  readonly action: MoneyAction;
  readonly customerId: string;
  readonly amountMicros: Micros;
  /** The proposal that this operator confirms; null for a new operation. */
  readonly confirms: string | null;
}

/** The outcome: a proposal that must be confirmed, or the result. */
export type Moved<Result> =
  | { readonly proposal: Approval; readonly result: null }
  | { readonly proposal: null; readonly result: Result };

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
  run: () => Promise<{ readonly result: Result; readonly detail?: Operation["detail"] }>,
): Promise<Moved<Result>> {
  const { customerId, amountMicros, confirms } = operation;
  await lockMoneyOperations(tx);
  const approval = confirms === null ? null : await confirm(tx, ctx, operation, confirms);
  if (approval === null) {
    const since = new Date(ctx.clock.now().getTime() - DAY_MS);
    const before = await sumMovedAlone(tx, { customerId, actions: MONEY_ACTIONS, since });
    const isTooMuch =
      before.ofCustomerMicros + amountMicros > SINGLE_OPERATOR_MICROS ||
      before.altogetherMicros + amountMicros > SINGLE_OPERATOR_TOTAL_MICROS;
    if (isTooMuch) return { proposal: await propose(tx, ctx, operation), result: null };
  }
  const { result, detail } = await run();
  const confirmed: Operation["detail"] = approval === null ? {} : { proposed_by: approval.proposed_by, approval: approval.id };
  await recordOperation(tx, ctx, {
    ...operation,
    detail: { ...operation.detail, ...detail, ...confirmed, amount_micros: String(amountMicros) },
  });
  return { proposal: null, result };
}

/** Returns the result after the commit. @throws AppError conflict that tells how a second operator confirms a proposal */
export function resultOf<Result>(moved: Moved<Result>): Result {
  if (moved.proposal === null) return moved.result;
  const { id, proposed_by: proposer } = moved.proposal;
  throw new AppError("conflict", {
    reason: "operator.second_operator",
    params: { most: formatDollars(SINGLE_OPERATOR_MICROS), proposer, proposal: id },
  });
}

/** Proposals that wait for a second operator, oldest first. */
export function openApprovals({ handle, clock }: Context): Promise<Approval[]> {
  return listOpenApprovals(handle.db, clock.now());
}

/** Rejects a proposal. Its proposer may do so too. @throws AppError not_found */
export async function rejectApproval(ctx: OperatorContext, order: { id: string; reason: string }): Promise<void> {
  const at = ctx.clock.now();
  await ctx.transaction(async (tx) => {
    const approval = await readOpen(tx, order.id, at);
    await decideApproval(tx, approval.id, { state: "rejected", by: ctx.actor.name, at });
    const { action, customer_id: customerId, subject } = approval;
    await recordOperation(tx, ctx, {
      action: `reject-${action}`,
      customerId,
      subject,
      reason: order.reason,
      detail: { approval: approval.id },
    });
  });
}

async function propose(
  tx: Transaction,
  ctx: OperatorContext,
  { action, customerId, subject, amountMicros, reason, detail }: MoneyOperation,
): Promise<Approval> {
  const at = ctx.clock.now();
  const approval: Approval = {
    id: uuidv7(),
    action,
    customer_id: customerId,
    subject,
    amount_micros: amountMicros,
    detail: { ...detail },
    reason,
    proposed_by: ctx.actor.name,
    proposed_at: at,
    expires_at: new Date(at.getTime() + OPEN_MS),
    state: "open",
    decided_by: null,
    decided_at: null,
  };
  const { state: _state, decided_by: _by, decided_at: _at, ...row } = approval;
  await insertApproval(tx, { ...row, detail: JSON.stringify(detail ?? {}) });
  await recordOperation(tx, ctx, {
    action: `propose-${action}`,
    customerId,
    subject,
    reason,
    detail: { amount_micros: String(amountMicros), approval: approval.id },
  });
  return approval;
}

async function confirm(tx: Transaction, ctx: OperatorContext, operation: MoneyOperation, approvalId: string): Promise<Approval> {
  const { action, customerId, subject, amountMicros } = operation;
  const at = ctx.clock.now();
  const { name } = ctx.actor;
  const approval = await readOpen(tx, approvalId, at);
  if (isSamePerson(approval.proposed_by, name))
    throw new AppError("conflict", { reason: "operator.own_proposal", params: { operator: approval.proposed_by } });
  const isSame = approval.action === action && approval.customer_id === customerId && approval.subject === subject;
  if (!isSame || approval.amount_micros !== amountMicros) throw new AppError("conflict", { reason: "operator.proposal_stale" });
  await decideApproval(tx, approval.id, { state: "confirmed", by: name, at });
  return approval;
}

async function readOpen(tx: Transaction, id: string, now: Date): Promise<Approval> {
  const approval = isUuid(id) ? await lockOpenApproval(tx, id, now) : undefined;
  if (approval === undefined) throw new AppError("not_found", { reason: "operator.no_proposal", params: { proposal: id } });
  return approval;
}

function isSamePerson(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}
