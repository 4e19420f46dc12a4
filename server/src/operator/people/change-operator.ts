import { operatorRoles, type OperatorRole } from "@farline/contract/operator/rights.ts";
import { isUuid } from "@farline/domain/uuid.ts";
import type { Context, OperatorContext } from "../../context.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { CONCERNS_NOBODY } from "../operations.store.ts";
import type { OperatorRow } from "../operator.tables.ts";
import { endProposalsOf } from "../proposals.ts";
import type { Verb } from "../run-operation.ts";
import { resultOf } from "../second-operator.ts";
import { planLettingIn } from "./let-in.ts";
import { endAccess, linkFor, planInvitation, type InvitationLink, fetchLink, presentLink } from "./invite-operator.ts";
import { operatorIdleSince } from "./operator-sessions.ts";
import { deleteOperatorSessions } from "./operator-session.store.ts";
import { findOperator, listOperators, lockOperators, markRemoved, storeRole, type ListedOperator } from "./operator.store.ts";

/** Operators who were not removed, oldest first. */
export function readOperators({ handle, clock }: Context): Promise<ListedOperator[]> {
  const now = clock.now();
  return listOperators(handle.db, { now, idleSince: operatorIdleSince(now) });
}

/** Adds an operator. */
const invite: Verb<"invite-operator", InvitationLink | null> = {
  plan: planInvitation,
  respond: (outcome) => presentLink(resultOf(outcome)),
};

/** Gives another operator a new link, which ends their earlier sign-in. Null as for an invitation. */
const renew: Verb<"renew-invitation", InvitationLink | null> = {
  plan: async (tx, ctx, { operator }) => {
    const { id, email } = await lockAnother(tx, ctx, operator);
    return planLettingIn(tx, ctx, { operatorId: id, subject: id, detail: { email } }, async (approval) => {
      await endAccess(tx, id);
      return { id, result: await linkFor(tx, ctx, id, approval) };
    });
  },
  respond: (outcome) => presentLink(resultOf(outcome)),
};

/** Changes another operator's role; another administrator confirms a higher one. */
const changeRole: Verb<"change-role", OperatorRole> = {
  plan: async (tx, ctx, { operator, role }) => {
    const { id, email, role: before } = await lockAnother(tx, ctx, operator);
    const change = { operatorId: id, subject: id, detail: { email, role, role_before: before } };
    const store = async () => {
      await storeRole(tx, id, role);
      await endProposalsOf(tx, ctx, id, role);
      return { id, result: role };
    };
    const letIn = await planLettingIn(tx, ctx, change, store);
    if (operatorRoles.indexOf(role) > operatorRoles.indexOf(before)) return letIn;
    // A role that has risen since a proposal of it begins the week once more.
    return { ...letIn, concerns: [], run: (approval) => (approval === null ? store() : letIn.run(approval)) };
  },
  respond: (outcome) => void resultOf(outcome),
};

/** Ends another operator's sessions. */
const endSessions: Verb<"end-operator-sessions", void> = {
  plan: (tx, ctx, { operator }) => planChange(tx, ctx, operator, ({ id }) => deleteOperatorSessions(tx, id)),
  respond: () => undefined,
};

/** Removes another operator, who stays in the audit log. */
const remove: Verb<"remove-operator", void> = {
  plan: (tx, ctx, { operator }) =>
    planChange(tx, ctx, operator, async ({ id }) => {
      await endAccess(tx, id);
      await markRemoved(tx, id, ctx.clock.now());
      await endProposalsOf(tx, ctx, id, null);
    }),
  respond: () => undefined,
};

async function planChange(
  tx: Transaction,
  ctx: OperatorContext,
  operator: string,
  run: (found: OperatorRow) => Promise<unknown>,
) {
  const found = await lockAnother(tx, ctx, operator);
  return {
    ...CONCERNS_NOBODY,
    subject: found.id,
    detail: { email: found.email },
    run: async () => {
      await run(found);
      return { result: undefined };
    },
  };
}

/** What administrators do about other operators. */
export const peopleVerbs = {
  "invite-operator": invite,
  "renew-invitation": renew,
  "change-role": changeRole,
  "end-operator-sessions": endSessions,
  "fetch-link": fetchLink,
  "remove-operator": remove,
};

/** Nobody changes their own access, so an administrator always remains. @throws AppError not_found, forbidden for oneself */
async function lockAnother(tx: Transaction, ctx: OperatorContext, operator: string): Promise<OperatorRow> {
  await lockOperators(tx);
  const found = await findOperator(tx, isUuid(operator) ? { id: operator } : { email: operator });
  if (found === undefined) throw new AppError("not_found", { reason: "operator.no_operator", params: { operator } });
  if (found.id === ctx.actor.id) throw new AppError("forbidden", { reason: "operator.own_access" });
  return found;
}
