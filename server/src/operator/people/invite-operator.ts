import type { OperatorRole } from "@farline/contract/operator/rights.ts";
import { uuidv7 } from "uuidv7";
import { actingAs, type Context, type OperatorContext } from "../../context.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Tx } from "../../platform/database/database.ts";
import { hashToken, newToken } from "../../platform/secret-token.ts";
import { recordOperation } from "../operations.store.ts";
import { insertInvitation } from "./invitation.store.ts";
import { resultOf } from "../second-operator.ts";
import { letIn } from "./let-in.ts";
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

/** A person to whom the console is opened. */
export interface Invited {
  readonly email: string;
  readonly name: string;
  readonly role: OperatorRole;
  readonly reason: string;
}

/** A one-time link; only its hash is stored. */
export interface InvitationLink {
  readonly url: string;
  readonly expiresAt: Date;
}

/**
 * Adds an operator. Their link must reach them by a safe way.
 * @param invited.confirms another administrator's proposal
 * @throws AppError conflict if there is one with this address, or if another administrator must confirm it
 */
export async function inviteOperator(ctx: OperatorContext, invited: Invited & { confirms?: string }): Promise<InvitationLink> {
  const { email, name, role, reason, confirms = null } = invited;
  const moved = await ctx.transaction(async (tx) => {
    await lockOperators(tx);
    if ((await findOperator(tx, { email })) !== undefined)
      throw new AppError("conflict", { reason: "operator.operator_known", params: { email }, field: "email" });
    const change = {
      action: "invite-operator",
      operatorId: null,
      subject: email,
      reason,
      detail: { name, role },
      confirms,
    } as const;
    return letIn(tx, ctx, change, async () => {
      const id = uuidv7();
      await insertOperator(tx, { id, email, name, role, created_at: ctx.clock.now() });
      return { id, result: await issueLink(tx, ctx, id) };
    });
  });
  return resultOf(moved);
}

/**
 * Adds the first administrator, or gives the only one a new link, which ends their earlier sign-in. Needs no sign-in, only access to
 * the database; it is recorded in the new administrator's name.
 * @throws AppError forbidden if another administrator can sign in
 */
export async function inviteFirstAdmin(ctx: Context, invited: Omit<Invited, "role">): Promise<InvitationLink> {
  const { email, name, reason } = invited;
  const known = await findOperator(ctx.handle.db, { email });
  const admin = { kind: "operator", id: known?.id ?? uuidv7(), name: known?.name ?? name, role: "admin" } as const;
  const acting = actingAs(ctx, admin);
  return acting.transaction(async (tx) => {
    await lockOperators(tx);
    if (await canAnotherAdminSignIn(tx, email)) throw new AppError("forbidden", { reason: "operator.not_first" });
    if (known === undefined) await insertOperator(tx, { id: admin.id, email, name, role: "admin", created_at: ctx.clock.now() });
    else await storeRole(tx, admin.id, "admin");
    await storeTrustedFrom(tx, admin.id, ctx.clock.now());
    await endAccess(tx, admin.id);
    await recordOperation(tx, acting, { action: "first-admin", customerId: null, subject: admin.id, reason, detail: { email } });
    return issueLink(tx, ctx, admin.id);
  });
}

/** Ends an operator's sessions and deletes what they sign in with. */
export async function endAccess(tx: Tx, operatorId: string): Promise<void> {
  await deleteOperatorSessions(tx, operatorId);
  await deleteCredentials(tx, operatorId);
}

/** Makes a one-time link, which replaces an earlier one. The secret is in the fragment, which reaches no server and no log. */
export async function issueLink(tx: Tx, { clock, config }: Context, operatorId: string): Promise<InvitationLink> {
  const token = newToken("fo_");
  const expiresAt = new Date(clock.now().getTime() + GOOD_FOR_MS);
  await insertInvitation(tx, { operatorId, tokenHash: hashToken(token), expiresAt });
  return { url: `${config.publicUrl}/operator/invitation#${token}`, expiresAt };
}
