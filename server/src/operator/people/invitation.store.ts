import type { Transaction, Tx } from "../../platform/database/database.ts";
import type { OperatorRow } from "../operator.tables.ts";

/** An invitation that can still be accepted, with the sealed secret of its pending authenticator. */
export interface OpenInvitation {
  readonly operator: OperatorRow;
  readonly authenticator: { readonly secret: Buffer; readonly secretKey: string } | null;
}

/** Replaces the operator's earlier invitation: a link's hash, or nothing but who may fetch a link. */
export async function insertInvitation(
  tx: Tx,
  invitation: { operatorId: string; expiresAt: Date } & ({ tokenHash: Buffer } | { proposedBy: string }),
): Promise<void> {
  const of = "tokenHash" in invitation ? ([invitation.tokenHash, null] as const) : ([null, invitation.proposedBy] as const);
  const row = { token_hash: of[0], proposed_by: of[1], expires_at: invitation.expiresAt, secret: null, secret_key: null };
  await tx
    .insertInto("operator_invitation")
    .values({ operator_id: invitation.operatorId, ...row })
    .onConflict((conflict) => conflict.column("operator_id").doUpdateSet(row))
    .execute();
}

/** Locks the right to fetch an operator's link. Returns false for anybody but its proposer, and if it was fetched or has expired. */
export async function lockWaitingLink(
  tx: Transaction,
  { operatorId, proposedBy, now }: { operatorId: string; proposedBy: string; now: Date },
): Promise<boolean> {
  const row = await tx
    .selectFrom("operator_invitation")
    .select("operator_id")
    .where("operator_id", "=", operatorId)
    .where("proposed_by", "=", proposedBy)
    .where("token_hash", "is", null)
    .where("expires_at", ">", now)
    .forUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

export async function findInvitation(db: Tx, tokenHash: Buffer, now: Date): Promise<OpenInvitation | undefined> {
  const row = await db
    .selectFrom("operator_invitation as i")
    .innerJoin("operator as o", "o.id", "i.operator_id")
    .selectAll("o")
    .select(["i.secret", "i.secret_key as secretKey"])
    .where("i.token_hash", "=", tokenHash)
    .where("i.expires_at", ">", now)
    .where("o.removed_at", "is", null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { secret, secretKey, ...operator } = row;
  return { operator, authenticator: secret === null || secretKey === null ? null : { secret, secretKey } };
}

/** Stores the sealed secret of an authenticator that awaits its first code. */
export async function storeInvitationSecret(
  db: Tx,
  wanted: { operatorId: string; secret: Buffer; secretKey: string },
): Promise<void> {
  await db
    .updateTable("operator_invitation")
    .set({ secret: wanted.secret, secret_key: wanted.secretKey })
    .where("operator_id", "=", wanted.operatorId)
    .execute();
}

/** Uses an invitation up. Returns false if it was used or replaced before: of two concurrent calls one gets true. */
export async function consumeInvitation(tx: Tx, tokenHash: Buffer): Promise<boolean> {
  const done = await tx.deleteFrom("operator_invitation").where("token_hash", "=", tokenHash).executeTakeFirst();
  return done.numDeletedRows > 0n;
}
