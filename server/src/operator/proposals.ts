import type { Context, Operator, OperatorContext } from "../context.ts";
import { operationNames, secondFor, type OperationName } from "@farline/contract/operator/operations.ts";
import { hasRight, type OperatorRight, type OperatorRole } from "@farline/contract/operator/rights.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { isUuid } from "@farline/domain/uuid.ts";
import type { Micros } from "@farline/domain/money.ts";
import { uuidv7 } from "uuidv7";
import { AppError } from "../platform/app-error.ts";
import type { Transaction, Tx } from "../platform/database/database.ts";
import {
  decideApproval,
  findOpenApprovals,
  insertApproval,
  listOpenApprovals,
  lockOpenApproval,
  lockOpenApprovalsOf,
} from "./approval.store.ts";
import { MOVES_NOTHING, recordOperation, type Moves, type Operation } from "./operations.store.ts";
import type { Approval } from "./operator.tables.ts";
import { findUntrusted } from "./people/operator.store.ts";
import { requireRight } from "./people/operator-sessions.ts";

const OPEN_MS = DAY_MS;

/** An operation that waits for a second operator. */
interface Proposed extends Operation {
  readonly action: OperationName;
  /** Its input in JSON, as `writeInput` writes it. */
  readonly input: string;
}

/** Proposals that wait for a second operator, oldest first. */
export function openApprovals({ handle, clock }: Context): Promise<Approval[]> {
  return listOpenApprovals(handle.db, clock.now());
}

/** Those of the proposals that wait for a second operator. */
export function readProposals({ handle, clock }: Context, ids: readonly string[]): Promise<Approval[]> {
  return findOpenApprovals(handle.db, ids, clock.now());
}

/** What confirming or rejecting a proposal takes. @throws Error for a proposal of another version */
export function rightToDecide({ action }: Pick<Approval, "action">): OperatorRight {
  return rightsFor(action).decides;
}

function rightsFor(action: string): NonNullable<ReturnType<typeof secondFor>> {
  const second = secondFor(action);
  if (second === undefined) throw new Error(`This version does not know how to ${action}.`);
  return second;
}

/** The actions whose proposals a role may confirm and reject. */
export function decidableActions(role: OperatorRole): OperationName[] {
  return operationNames.filter((name) => {
    const second = secondFor(name);
    return second !== undefined && hasRight(role, second.decides);
  });
}

/** Ends the open proposals of an operator that their new role no longer allows; all of them for one who is removed. */
export async function endProposalsOf(
  tx: Transaction,
  ctx: OperatorContext,
  operatorId: string,
  role: OperatorRole | null,
): Promise<void> {
  const at = ctx.clock.now();
  for (const { id, action, customer_id: customerId, subject } of await lockOpenApprovalsOf(tx, operatorId, at)) {
    const second = secondFor(action);
    if (role !== null && second !== undefined && hasRight(role, second.proposes)) continue;
    await decideApproval(tx, id, { state: "rejected", by: ctx.actor.id, at });
    const reason = role === null ? "The proposer was removed." : "The proposer's new role does not allow it.";
    const detail = { action, subject: subject ?? "" };
    await recordOperation(tx, ctx, { moves: MOVES_NOTHING, action: "reject-proposal", customerId, subject: id, reason, detail });
  }
}

/** Why an operator may not confirm a proposal, or null. The confirmation itself judges again. */
export async function whyNotConfirm(tx: Tx, approval: Approval, operator: Operator, now: Date): Promise<AppError | null> {
  if (approval.proposed_by === operator.id)
    return new AppError("conflict", { reason: "operator.own_proposal", params: { operator: approval.proposer } });
  if (!hasRight(operator.role, rightToDecide(approval)))
    return new AppError("forbidden", { reason: "operator.not_your_role", params: { role: operator.role } });
  if (!hasRight(approval.proposer_role, rightsFor(approval.action).proposes))
    return new AppError("conflict", { reason: "operator.proposer_lost_right", params: { operator: approval.proposer } });
  const untrusted = await findUntrusted(tx, [approval.proposed_by, operator.id], now);
  if (untrusted === undefined) return null;
  const params = { operator: untrusted.name, from: `${untrusted.trusted_from.toISOString().slice(0, 16).replace("T", " ")} UTC` };
  return new AppError("conflict", { reason: "operator.not_second_person", params });
}

/** Ends a proposal without carrying it out. */
function ending(state: "rejected" | "withdrawn", check: (ctx: OperatorContext, approval: Approval) => void) {
  return {
    plan: async (tx: Transaction, ctx: OperatorContext, { proposal }: { readonly proposal: string; readonly reason: string }) => {
      const at = ctx.clock.now();
      const approval = await readOpen(tx, proposal, at);
      check(ctx, approval);
      const run = async () => {
        await decideApproval(tx, approval.id, { state, by: ctx.actor.id, at });
        return { result: undefined };
      };
      const detail = { action: approval.action, subject: approval.subject ?? "" };
      return { customerId: approval.customer_id, subject: approval.id, moves: MOVES_NOTHING, detail, run };
    },
    respond: () => undefined,
  };
}

/** How proposals end without being carried out. */
export const proposalVerbs = {
  /** Takes the same right as confirming it. @throws AppError not_found; forbidden for another role; conflict for an own proposal */
  "reject-proposal": ending("rejected", (ctx, approval) => {
    if (approval.proposed_by === ctx.actor.id) throw new AppError("conflict", { reason: "operator.own_rejection" });
    requireRight(ctx.actor.role, rightToDecide(approval));
  }),
  /** @throws AppError not_found; conflict for another operator's */
  "withdraw-proposal": ending("withdrawn", (ctx, approval) => {
    if (approval.proposed_by !== ctx.actor.id)
      throw new AppError("conflict", { reason: "operator.others_proposal", params: { operator: approval.proposer } });
  }),
};

/** Writes a proposal for a second operator instead of carrying the operation out. */
export async function propose(
  tx: Transaction,
  ctx: OperatorContext,
  { action, customerId, subject, moves, reason, detail, input }: Proposed,
): Promise<Approval> {
  const at = ctx.clock.now();
  const approval: Approval = {
    id: uuidv7(),
    action,
    customer_id: customerId,
    subject,
    amount_micros: amountOf(moves),
    detail: { ...detail },
    input: JSON.parse(input),
    reason,
    proposed_by: ctx.actor.id,
    proposer: ctx.actor.name,
    proposed_at: at,
    expires_at: new Date(at.getTime() + OPEN_MS),
    proposer_role: ctx.actor.role,
    state: "open",
    decided_by: null,
    decided_at: null,
  };
  const { proposer: _proposer, proposer_role: _role, state: _state, decided_by: _by, decided_at: _at, ...row } = approval;
  await insertApproval(tx, { ...row, detail: JSON.stringify(detail ?? {}), input });
  await recordOperation(tx, ctx, {
    action: `propose-${action}`,
    customerId,
    subject,
    reason,
    moves,
    detail: { approval: approval.id },
  });
  return approval;
}

/** As a proposal keeps it: null for nothing and for no limit. */
export function amountOf({ amountMicros }: Moves): Micros | null {
  return amountMicros === 0n ? null : amountMicros;
}

/**
 * Decides a proposal as its second operator.
 * @param isSame whether the proposal is what would be done now
 * @throws AppError not_found; conflict for a proposal that this operator may not confirm or that differs
 */
export async function confirmProposal(
  tx: Transaction,
  ctx: OperatorContext,
  proposalId: string,
  isSame: (approval: Approval) => boolean,
): Promise<Approval> {
  const at = ctx.clock.now();
  const approval = await readOpen(tx, proposalId, at);
  const refusal = await whyNotConfirm(tx, approval, ctx.actor, at);
  if (refusal !== null) throw refusal;
  if (!isSame(approval)) throw new AppError("conflict", { reason: "operator.proposal_stale" });
  await decideApproval(tx, approval.id, { state: "confirmed", by: ctx.actor.id, at });
  return approval;
}

async function readOpen(tx: Transaction, id: string, now: Date): Promise<Approval> {
  const approval = isUuid(id) ? await lockOpenApproval(tx, id, now) : undefined;
  if (approval === undefined) throw new AppError("not_found", { reason: "operator.no_proposal", params: { proposal: id } });
  return approval;
}
