import { operatorRoles, type OperatorRole } from "@farline/contract/operator/rights.ts";
import { isUuid } from "@farline/domain/uuid.ts";
import type { Context, OperatorContext } from "../../context.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { MOVES_NOTHING, recordOperation } from "../operations.store.ts";
import type { OperatorRow } from "../operator.tables.ts";
import { endProposalsOf } from "../proposals.ts";
import { resultOf, type Moved } from "../second-operator.ts";
import { letIn } from "./let-in.ts";
import { endAccess, linkFor, type InvitationLink } from "./invite-operator.ts";
import { operatorIdleSince } from "./operator-sessions.ts";
import { deleteOperatorSessions } from "./operator-session.store.ts";
import { findOperator, listOperators, lockOperators, markRemoved, storeRole, type ListedOperator } from "./operator.store.ts";

/** An administrator's change of another operator, by id or address. */
export interface OperatorChange {
  readonly operator: string;
  readonly reason: string;
}

/** Operators who were not removed, oldest first. */
export function readOperators({ handle, clock }: Context): Promise<ListedOperator[]> {
  const now = clock.now();
  return listOperators(handle.db, { now, idleSince: operatorIdleSince(now) });
}

/** A change that another administrator may have to confirm. */
interface GuardedOperatorChange extends OperatorChange {
  /** The other administrator's proposal. */
  readonly confirms?: string;
}

/**
 * Gives another operator a new link, which ends their earlier sign-in.
 * @returns as `inviteOperator`
 * @throws AppError not_found, forbidden for oneself; conflict if another administrator must confirm it
 */
export function renewInvitation(ctx: OperatorContext, change: OperatorChange & { readonly confirms: string }): Promise<null>;
export function renewInvitation(ctx: OperatorContext, change: OperatorChange): Promise<InvitationLink>;
export async function renewInvitation(ctx: OperatorContext, change: GuardedOperatorChange): Promise<InvitationLink | null> {
  const moved = await withAnother(ctx, change, (tx, { id, email }) =>
    letIn(tx, ctx, { ...lettingIn("renew-invitation", id, change), detail: { email } }, async (approval) => {
      await endAccess(tx, id);
      return { id, result: await linkFor(tx, ctx, id, approval) };
    }),
  );
  return resultOf(moved);
}

/**
 * Changes another operator's role.
 * @throws AppError not_found, forbidden for oneself; conflict if another administrator must confirm a higher role
 */
export async function changeRole(ctx: OperatorContext, change: GuardedOperatorChange & { role: OperatorRole }): Promise<void> {
  const { role } = change;
  const moved = await withAnother(ctx, change, async (tx, { id, email, role: before }): Promise<Moved<null>> => {
    const run = async () => {
      await storeRole(tx, id, role);
      await endProposalsOf(tx, ctx, id, role);
      return { id, result: null };
    };
    const detail = { email, role };
    if (change.confirms !== undefined || isHigher(role, before))
      return letIn(tx, ctx, { ...lettingIn("change-role", id, change), detail }, run);
    await run();
    await recordOperation(tx, ctx, {
      moves: MOVES_NOTHING,
      action: "change-role",
      customerId: null,
      subject: id,
      reason: change.reason,
      detail,
    });
    return { proposal: null, result: null };
  });
  resultOf(moved);
}

function isHigher(role: OperatorRole, before: OperatorRole): boolean {
  return operatorRoles.indexOf(role) > operatorRoles.indexOf(before);
}

function lettingIn<Action>(action: Action, id: string, { reason, confirms }: GuardedOperatorChange) {
  return { action, operatorId: id, subject: id, reason, confirms: confirms ?? null };
}

/** Ends another operator's sessions. @throws AppError not_found, forbidden for oneself */
export async function endSessions(ctx: OperatorContext, change: OperatorChange): Promise<void> {
  await onAnother(ctx, { ...change, action: "end-operator-sessions" }, (tx, { id }) => deleteOperatorSessions(tx, id));
}

/** Removes another operator, who stays in the record. @throws AppError not_found, forbidden for oneself */
export function removeOperator(ctx: OperatorContext, change: OperatorChange): Promise<void> {
  return onAnother(ctx, { ...change, action: "remove-operator" }, async (tx, { id }) => {
    await endAccess(tx, id);
    await markRemoved(tx, id, ctx.clock.now());
    await endProposalsOf(tx, ctx, id, null);
  });
}

/** Changes another operator and records it. */
function onAnother<Result>(
  ctx: OperatorContext,
  { operator, reason, action }: OperatorChange & { action: string },
  run: (tx: Transaction, found: OperatorRow) => Promise<Result>,
): Promise<Result> {
  return withAnother(ctx, { operator }, async (tx, found) => {
    const result = await run(tx, found);
    const { id, email } = found;
    await recordOperation(tx, ctx, { moves: MOVES_NOTHING, action, customerId: null, subject: id, reason, detail: { email } });
    return result;
  });
}

/** Nobody changes their own access, so an administrator always remains. */
function withAnother<Result>(
  ctx: OperatorContext,
  { operator }: { readonly operator: string },
  run: (tx: Transaction, found: OperatorRow) => Promise<Result>,
): Promise<Result> {
  return ctx.transaction(async (tx) => {
    await lockOperators(tx);
    const found = await findOperator(tx, isUuid(operator) ? { id: operator } : { email: operator });
    if (found === undefined) throw new AppError("not_found", { reason: "operator.no_operator", params: { operator } });
    if (found.id === ctx.actor.id) throw new AppError("forbidden", { reason: "operator.own_access" });
    return run(tx, found);
  });
}
