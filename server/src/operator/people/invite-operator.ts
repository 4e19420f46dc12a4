import type { InvitationLinkResponse } from "@farline/contract/operator/people.ts";
import type { OperationInput } from "@farline/contract/operator/operation-inputs.ts";
import { uuidv7 } from "uuidv7";
import { isUuid } from "@farline/domain/uuid.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import type { Context, OperatorContext } from "../../context.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import { hashToken, newToken } from "../../platform/sealed-value.ts";
import { recordOperation, CONCERNS_NOBODY } from "../operations.store.ts";
import type { Approval } from "../operator.tables.ts";
import type { Verb } from "../run-operation.ts";
import { lockWaitingLink, insertInvitation } from "./invitation.store.ts";
import { planLettingIn, startProbation } from "./let-in.ts";
import { deleteOperatorSessions } from "./operator-session.store.ts";
import {
  canAnotherAdminSignIn,
  deleteCredentials,
  findOperator,
  insertOperator,
  lockOperators,
  storeRole,
  storeTrustedFrom,
} from "./operator.store.ts";

const GOOD_FOR_MS = 15 * 60_000;
/** How long the proposer may fetch a link that another administrator agreed to. */
const WAITS_MS = DAY_MS;

/** A one-time link; only its hash is stored. */
export interface InvitationLink {
  readonly url: string;
  readonly expiresAt: Date;
}

/**
 * Adds an operator. Their link must reach them by a safe way. Null for a confirmed proposal, whose link only its proposer gets (`fetchLink`).
 * @throws AppError conflict if there is one with this address
 */
export async function planInvitation(tx: Transaction, ctx: OperatorContext, invited: OperationInput<"invite-operator">) {
  const { email, name, role } = invited;
  await lockOperators(tx);
  if ((await findOperator(tx, { email })) !== undefined)
    throw new AppError("conflict", { reason: "operator.operator_known", params: { email }, field: "email" });
  const change = { operatorId: null, subject: email, detail: { name, role } };
  return planLettingIn(tx, ctx, change, async (approval) => {
    const id = uuidv7();
    await insertOperator(tx, { id, email, name, role, created_at: ctx.clock.now() });
    return { id, result: await linkFor(tx, ctx, id, approval) };
  });
}

/**
 * Adds the first administrator, or gives the only one a new link, which ends their earlier sign-in. Needs no sign-in, only access to
 * the database; it is recorded in the new administrator's name.
 * @throws AppError forbidden if another administrator can sign in
 */
export async function inviteFirstAdmin(
  ctx: Context,
  invited: Omit<OperationInput<"invite-operator">, "role">,
): Promise<InvitationLink> {
  const { email, name, reason } = invited;
  const known = await findOperator(ctx.handle.db, { email });
  const admin = { id: known?.id ?? uuidv7(), name: known?.name ?? name, role: "admin" } as const;
  const acting = { kind: "operator", ...admin, right: "own-access", session: null } as const;
  return ctx.transaction(async (tx) => {
    await lockOperators(tx);
    if (await canAnotherAdminSignIn(tx, email)) throw new AppError("forbidden", { reason: "operator.not_first" });
    if (known === undefined) await insertOperator(tx, { id: admin.id, email, name, role: "admin", created_at: ctx.clock.now() });
    else await storeRole(tx, admin.id, "admin");
    await storeTrustedFrom(tx, admin.id, ctx.clock.now());
    await endAccess(tx, admin.id);
    const by = { actor: acting, clock: ctx.clock };
    await recordOperation(tx, by, {
      ...CONCERNS_NOBODY,
      action: "first-admin",
      subject: admin.id,
      reason,
      detail: { email },
    });
    return issueLink(tx, ctx, admin.id);
  });
}

/** Ends an operator's sessions and deletes what they sign in with. */
export async function endAccess(tx: Tx, operatorId: string): Promise<void> {
  await deleteOperatorSessions(tx, operatorId);
  await deleteCredentials(tx, operatorId);
}

/**
 * The link of an operator who was let in. If another administrator proposed it, it is made only when the proposer fetches it, so that
 * nobody who can confirm ever holds a link.
 */
export async function linkFor(
  tx: Transaction,
  ctx: OperatorContext,
  operatorId: string,
  approval: Approval | null,
): Promise<InvitationLink | null> {
  if (approval === null) return issueLink(tx, ctx, operatorId);
  const expiresAt = new Date(ctx.clock.now().getTime() + WAITS_MS);
  await insertInvitation(tx, { operatorId, proposedBy: approval.proposed_by, expiresAt });
  return null;
}

/** Shows the acting administrator, once, the link that they proposed and another one agreed to. The operator's week begins now. */
export const fetchLink: Verb<"fetch-link", InvitationLink> = {
  plan: async (tx, ctx, { operator }) => {
    const now = ctx.clock.now();
    await lockOperators(tx);
    const found = await findOperator(tx, isUuid(operator) ? { id: operator } : { email: operator });
    const link = { operatorId: found?.id ?? "", proposedBy: ctx.actor.id, now };
    if (found === undefined || !(await lockWaitingLink(tx, link)))
      throw new AppError("not_found", { reason: "operator.no_link", params: { operator: found?.name ?? operator } });
    const { id, email } = found;
    return {
      ...CONCERNS_NOBODY,
      subject: id,
      detail: { email },
      run: async () => {
        await startProbation(tx, id, now);
        return { result: await issueLink(tx, ctx, id) };
      },
    };
  },
  respond: ({ result }) => presentLink(result),
};

/** Makes a one-time link, which replaces an earlier one. The secret is in the fragment, which reaches no server and no log. */
export async function issueLink(tx: Tx, { clock, config }: Context, operatorId: string): Promise<InvitationLink> {
  const token = newToken("fo_");
  const expiresAt = new Date(clock.now().getTime() + GOOD_FOR_MS);
  await insertInvitation(tx, { operatorId, tokenHash: hashToken(token), expiresAt });
  return { url: `${config.publicUrl}/operator/invitation#${token}`, expiresAt };
}

/** @throws Error for a confirmed invitation, whose link only its proposer fetches */
export function presentLink(link: InvitationLink | null): InvitationLinkResponse {
  if (link === null) throw new Error("A link that two administrators agreed on was answered.");
  return { url: link.url, expires_at: link.expiresAt.toISOString() };
}
