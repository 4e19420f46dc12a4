import { MINUTE_MS } from "@farline/domain/durations.ts";
import { hasRight, needsProof, type OperatorRight, type OperatorRole } from "@farline/contract/operator/rights.ts";
import { uuidv7 } from "uuidv7";
import { AppError } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import type { DatabaseHandle, Transaction, Tx } from "../../platform/database/database.ts";
import { hashToken } from "../../platform/sealed-value.ts";
import {
  findOperatorSession,
  insertOperatorSession,
  type OperatorSession,
  readSession,
  touchOperatorSession,
} from "./operator-session.store.ts";
import { lockOperators, readRole } from "./operator.store.ts";

const ABSOLUTE_MS = 8 * 60 * MINUTE_MS;
const IDLE_MS = 15 * MINUTE_MS;
const PROOF_GOOD_FOR_MS = 5 * MINUTE_MS;
const TOUCH_EVERY_MS = 30_000;

/** An operator who has signed in, named in the audit log. */
export interface Operator {
  readonly kind: "operator";
  readonly id: string;
  readonly name: string;
  readonly role: OperatorRole;
  /** What the route or command was declared to need. Every transaction verifies it. */
  readonly right: OperatorRight;
  /** The session that acts; null while it is being started. */
  readonly session: string | null;
}

/** Who acts: a customer's request, a provider's event, a job or an operator. */
export type Actor = { readonly kind: "customer" | "provider" | "job" } | Operator;

/** Where a session is used. */
export interface SessionPlace {
  readonly kind: OperatorSession["kind"];
  readonly device: string;
  readonly network: string;
}

/** Sessions not seen since this time have ended. */
export function operatorIdleSince(now: Date): Date {
  return new Date(now.getTime() - IDLE_MS);
}

/** The live session with this token; undefined without one. */
export async function findLiveSession(
  { handle, clock }: { readonly handle: DatabaseHandle; readonly clock: Clock },
  { token, kind }: { readonly token: string | null; readonly kind: OperatorSession["kind"] },
): Promise<OperatorSession | undefined> {
  if (token === null) return undefined;
  const now = clock.now();
  return findOperatorSession(handle.db, { tokenHash: hashToken(token), kind, now, idleSince: operatorIdleSince(now) });
}

/** Starts a session of an operator who has just proved who they are. */
export async function startOperatorSession(
  tx: Tx,
  operatorId: string,
  { tokenHash, place, now }: { tokenHash: Buffer; place: SessionPlace; now: Date },
): Promise<void> {
  await insertOperatorSession(tx, {
    id: uuidv7(),
    operator_id: operatorId,
    token_hash: tokenHash,
    ...place,
    created_at: now,
    proved_at: now,
    last_seen_at: now,
    expires_at: new Date(now.getTime() + ABSOLUTE_MS),
  });
}

/**
 * Admits an operator by the token of a session, if their role has the right and their proof of identity is recent enough for it.
 * @throws AppError unauthenticated, forbidden, reauth_required
 */
export async function admitOperator(
  ctx: { readonly handle: DatabaseHandle; readonly clock: Clock },
  given: {
    readonly token: string | null;
    readonly kind: OperatorSession["kind"];
    readonly right: OperatorRight;
    /** Whether a program asks by itself, without its operator: that does not keep the session alive. */
    readonly unattended?: boolean;
  },
): Promise<OperatorSession> {
  const now = ctx.clock.now();
  const session = await findLiveSession(ctx, given);
  if (session === undefined) throw signedOut();
  requireRight(session.operator.role, given.right);
  requireProof(session, given.right, now);
  if (given.unattended !== true && now.getTime() - session.lastSeenAt.getTime() >= TOUCH_EVERY_MS)
    await touchOperatorSession(ctx.handle.db, session.sessionId, now);
  return session;
}

/** @throws AppError forbidden for a role without the right */
export function requireRight(role: OperatorRole, right: OperatorRight): void {
  if (!hasRight(role, right)) throw new AppError("forbidden", { reason: "operator.not_your_role", params: { role } });
}

/**
 * Verifies that an operator still may act: since the request was admitted, they may have been removed, got another role or lost their
 * session. `until-commit` also keeps it so until the transaction ends.
 * @throws AppError unauthenticated, forbidden, reauth_required
 */
export async function confirmActor(
  tx: Transaction,
  { id, role, right, session: sessionId }: Operator,
  { now, holds }: { readonly now: Date; readonly holds: "now" | "until-commit" },
): Promise<void> {
  const isHeld = holds === "until-commit";
  // Changes of operators take turns: two who change each other would otherwise deadlock on their rows.
  if (right === "operators") await lockOperators(tx);
  const current = await readRole(tx, id, isHeld);
  if (current === undefined) throw signedOut();
  requireRight(current, right);
  if (current !== role) throw new AppError("forbidden", { reason: "operator.role_changed" });
  if (sessionId === null) return;
  const session = await readSession(tx, { sessionId, operatorId: id, now, idleSince: operatorIdleSince(now), isHeld });
  if (session === undefined) throw signedOut();
  requireProof(session, right, now);
}

function requireProof({ provedAt }: Pick<OperatorSession, "provedAt">, right: OperatorRight, now: Date): void {
  if (needsProof(right) && now.getTime() - provedAt.getTime() > PROOF_GOOD_FOR_MS)
    throw new AppError("reauth_required", { reason: "operator.prove_again" });
}

function signedOut(): AppError {
  return new AppError("unauthenticated", { reason: "operator.signed_out" });
}

/** The actor of a session's operations, with the right that the route or command was declared to need. */
export function actorOf(
  { operator: { id, name, role }, sessionId }: Pick<OperatorSession, "operator" | "sessionId">,
  right: OperatorRight,
): Operator {
  return { kind: "operator", id, name, role, right, session: sessionId };
}
