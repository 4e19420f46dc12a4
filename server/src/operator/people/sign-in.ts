import type { PasskeySignInRequest } from "@farline/contract/second-factor.ts";
import {
  hashPassword,
  openSecret,
  passkeyRefused,
  requestOptions,
  stepOfCode,
  verifyPassword,
  verifyUse,
  hashPasskeyChallenge,
  PASSKEY_CHALLENGE_MS,
  type SignInLimits,
  type PasskeyOptions,
  consumeNamedChallenge,
} from "../../accounts/accounts.ts";
import { actingAs, type ServiceContext, type Context } from "../../context.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { hashToken, newToken } from "../../platform/sealed-value.ts";
import { recordOperation, CONCERNS_NOBODY } from "../operations.store.ts";
import type { OperatorRow } from "../operator.tables.ts";
import {
  consumeOperatorStep,
  findOperatorPasskey,
  findPasswordOf,
  markOperatorPasskeyUsed,
  storePasswordHash,
  consumeOperatorChallenge,
  insertOperatorChallenge,
} from "./credential.store.ts";
import { findOperator } from "./operator.store.ts";
import { rememberOperatorBrowser } from "./operator-session.store.ts";
import { startOperatorSession, type SessionPlace, findLiveSession } from "./operator-sessions.ts";

const PROOF_USED = new Error("This proof was used before.");

/** A sign-in to the console: the token for its cookie. */
export interface SignedIn {
  readonly token: string;
}

/** The browser of a sign-in. */
export interface ConsolePlace extends SessionPlace {
  /** SHA-256 of the browser's cookie, remembered once its operator has signed in. */
  readonly browserHash: Buffer;
}

/** Where a sign-in with a password comes from. */
interface SignInFrom extends ConsolePlace {
  /** The client's, `request.ip`. */
  readonly address: string;
  /** The token of the browser's session in the console, live or not. */
  readonly token: string | null;
}

/**
 * Signs in with a password and an authenticator's code. Every mistake gets the same response, so that it reveals neither an address nor
 * a password.
 * @throws AppError credentials_wrong, rate_limited
 */
export async function signInWithPassword(
  ctx: ServiceContext & { readonly signInLimits: SignInLimits },
  given: { email: string; password: string; code: string },
  from: SignInFrom,
): Promise<SignedIn> {
  const { email, password, code } = given;
  const { address, browserHash } = from;
  const session = await liveSessionOf(ctx, { email, token: from.token });
  const attempt = await ctx.signInLimits.take({ email, address, browserHash, session, proof: undefined });
  const signedIn = await checkPassword(ctx, { email, password, code }, from).catch(async (error: unknown) => {
    await attempt.notChecked();
    throw error;
  });
  if (signedIn === null) {
    await attempt.failed();
    throw new AppError("credentials_wrong", { reason: "operator.credentials_wrong" });
  }
  await attempt.succeeded();
  return signedIn;
}

/** The live session of the operator with this address: one who proves again who is there must not be locked out by strangers. */
async function liveSessionOf(
  ctx: ServiceContext,
  { email, token }: { email: string; token: string | null },
): Promise<string | null> {
  const session = await findLiveSession(ctx, { token, kind: "console" });
  return session?.operator.email === email.toLowerCase() ? session.sessionId : null;
}

async function checkPassword(
  ctx: ServiceContext,
  { email, password, code }: { email: string; password: string; code: string },
  from: ConsolePlace,
): Promise<SignedIn | null> {
  const { secretKeys } = ctx.config;
  const found = await findPasswordOf(ctx.handle.db, email.toLowerCase());
  const stored = found === undefined ? null : { hash: found.password_hash, keyId: found.password_key };
  const { right, stale } = await verifyPassword(secretKeys, password, stored, ctx.costs.password);
  if (found === undefined || !right) return null;
  const secret = openSecret(secretKeys, { secret: found.secret, secretKey: found.secret_key }, found.id);
  const step = stepOfCode(secret, code, ctx.clock.now());
  if (step === null) return null;
  if (stale) {
    const { hash, keyId } = await hashPassword(secretKeys, password, ctx.costs.password);
    await storePasswordHash(ctx.handle.db, { operatorId: found.id, hash, keyId, onlyInPlaceOf: found.password_hash });
  }
  return startConsole(ctx, found, {
    from,
    way: "Password and authenticator",
    using: (tx) => consumeOperatorStep(tx, found.id, step),
  });
}

/** Options for signing in with any operator's passkey. */
export async function operatorPasskeyOptions(ctx: ServiceContext): Promise<Record<string, unknown>> {
  return issueChallenge(ctx, await requestOptions(ctx.config.publicUrl), null);
}

/** Signs in with a passkey, which counts as both factors. @throws AppError passkey_refused */
export async function signInWithOperatorPasskey(
  ctx: ServiceContext,
  { credential }: PasskeySignInRequest,
  from: ConsolePlace,
): Promise<SignedIn> {
  const now = ctx.clock.now();
  const expectedChallenge = await consumeChallenge(ctx, credential.response.clientDataJSON, null);
  const passkey = await findOperatorPasskey(ctx.handle.db, Buffer.from(credential.id, "base64url"));
  const operator = passkey === undefined ? undefined : await findOperator(ctx.handle.db, { id: passkey.operator_id });
  if (passkey === undefined || operator === undefined) throw passkeyRefused();
  const { count } = await verifyUse(ctx.config.publicUrl, credential, { ownerId: operator.id, passkey, expectedChallenge });
  const used = { id: passkey.id, countBefore: passkey.sign_count, count, now };
  const signedIn = await startConsole(ctx, operator, { from, way: "Passkey", using: (tx) => markOperatorPasskeyUsed(tx, used) });
  if (signedIn === null) throw passkeyRefused();
  return signedIn;
}

/**
 * Starts a session in the console, and records it.
 * @param start.using uses the proof up; false if it was used before
 */
export async function startConsole(
  ctx: ServiceContext,
  operator: Pick<OperatorRow, "id" | "name" | "email" | "role">,
  start: { from: ConsolePlace; way: string; using: (tx: Transaction) => Promise<boolean> },
): Promise<SignedIn | null> {
  const { id, name, role } = operator;
  const acting = actingAs(ctx, { kind: "operator", id, name, role, right: "own-access", session: null } as const);
  const token = newToken("fo_");
  const { kind, device, network, browserHash } = start.from;
  try {
    await acting.transaction(async (tx) => {
      // Rolled back: a statement that had to wait for the other use counts as writing, although it changed no row.
      if (!(await start.using(tx))) throw PROOF_USED;
      const place = { kind, device, network };
      const now = ctx.clock.now();
      await startOperatorSession(tx, operator.id, { tokenHash: hashToken(token), place, now });
      await rememberOperatorBrowser(tx, { operatorId: operator.id, browserHash, now });
      const detail = { device, network };
      await recordOperation(tx, acting, {
        ...CONCERNS_NOBODY,
        action: "sign-in",
        subject: null,
        reason: start.way,
        detail,
      });
    });
    return { token };
  } catch (error) {
    if (error === PROOF_USED) return null;
    throw error;
  }
}

/** Remembers the challenge of a passkey's options. @param operatorId null for a sign-in @returns the options */
export async function issueChallenge(
  { handle, clock }: Context,
  { options, challenge }: PasskeyOptions,
  operatorId: string | null,
): Promise<PasskeyOptions["options"]> {
  const expiresAt = new Date(clock.now().getTime() + PASSKEY_CHALLENGE_MS);
  await insertOperatorChallenge(handle.db, { hash: hashPasskeyChallenge(challenge), operatorId, expiresAt });
  return options;
}

/** Consumes the challenge that the browser names. @throws AppError passkey_refused */
export function consumeChallenge({ handle, clock }: Context, clientDataJSON: string, operatorId: string | null): Promise<string> {
  const now = clock.now();
  return consumeNamedChallenge(clientDataJSON, (hash) => consumeOperatorChallenge(handle.db, { hash, operatorId, now }));
}
