import type { OperatorRole } from "@farline/contract/operator/rights.ts";
import { isUuid } from "@farline/domain/uuid.ts";
import type { Context, OperatorContext } from "../../context.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { recordOperation } from "../operations.store.ts";
import type { OperatorRow } from "../operator.tables.ts";
import { endAccess, issueLink, type InvitationLink } from "./invite-operator.ts";
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

/** Gives another operator a new link, which ends their earlier sign-in. @throws AppError not_found, forbidden for oneself */
export function renewInvitation(ctx: OperatorContext, change: OperatorChange): Promise<InvitationLink> {
  return onAnother(ctx, { ...change, action: "renew-invitation" }, async (tx, { id }) => {
    await endAccess(tx, id);
    return issueLink(tx, ctx, id);
  });
}

/** Changes another operator's role. @throws AppError not_found, forbidden for oneself */
export function changeRole(ctx: OperatorContext, change: OperatorChange & { readonly role: OperatorRole }): Promise<void> {
  const { role } = change;
  return onAnother(ctx, { ...change, action: "change-role", detail: { role } }, (tx, { id }) => storeRole(tx, id, role));
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
  });
}

/** Nobody changes their own access, so an administrator always remains. */
function onAnother<Result>(
  ctx: OperatorContext,
  { operator, reason, action, detail }: OperatorChange & { action: string; detail?: Readonly<Record<string, string>> },
  run: (tx: Transaction, found: OperatorRow) => Promise<Result>,
): Promise<Result> {
  return ctx.transaction(async (tx) => {
    await lockOperators(tx);
    const found = await findOperator(tx, isUuid(operator) ? { id: operator } : { email: operator });
    if (found === undefined) throw new AppError("not_found", { reason: "operator.no_operator", params: { operator } });
    if (found.id === ctx.actor.id) throw new AppError("forbidden", { reason: "operator.own_access" });
    const result = await run(tx, found);
    const { email } = found;
    await recordOperation(tx, ctx, { action, customerId: null, subject: found.id, reason, detail: { email, ...detail } });
    return result;
  });
}
