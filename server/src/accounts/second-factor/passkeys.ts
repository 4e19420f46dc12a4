import { createHash } from "node:crypto";
import type { PasskeyCreateRequest, PasskeyResponse, PasskeySignInRequest } from "@farline/contract/second-factor.ts";
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import { uuidv7 } from "uuidv7";
import { AppError } from "../../platform/app-error.ts";
import { findCustomer, lockCustomer, type Customer, type Profile } from "../record/customer.store.ts";
import { insertSecurityEvent } from "../record/security-event.store.ts";
import { sendNotice } from "../record/send-notice.ts";
import { lockSession, type SessionWithCustomer } from "../session/session.store.ts";
import { startSession, type SignInOrigin } from "../session/start-session.ts";
import {
  findPasskey,
  insertPasskey,
  insertPasskeyChallenge,
  listPasskeys,
  markPasskeyUsed,
  consumePasskeyChallenge,
  type PasskeyRow,
} from "../record/passkey.store.ts";
import { relyingParty } from "./relying-party.ts";
import type { AccountContext } from "../account-context.ts";

const GOOD_FOR_MS = 5 * 60 * 1000;
const MAX_PASSKEYS = 20;
/** EdDSA, ES256, RS256 (COSE): every authenticator supports one of them. */
const ALGORITHMS = [-8, -7, -257];

/** Options for creating a discoverable passkey with user verification. */
export async function registrationOptions(ctx: AccountContext, customer: Customer): Promise<Record<string, unknown>> {
  const party = relyingParty(ctx.config.publicUrl);
  const present = await listPasskeys(ctx.handle.db, customer.id);
  if (present.length >= MAX_PASSKEYS) throw new AppError("conflict", { reason: "passkeys_full", params: { max: MAX_PASSKEYS } });
  const options = await generateRegistrationOptions({
    rpName: party.name,
    rpID: party.id,
    userID: userHandle(customer.id),
    userName: customer.email,
    userDisplayName: customer.name,
    timeout: GOOD_FOR_MS,
    attestationType: "none",
    supportedAlgorithmIDs: ALGORITHMS,
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    excludeCredentials: present.map((one) => ({ id: one.credential_id.toString("base64url"), transports: one.transports })),
  });
  await storeChallenge(ctx, options.challenge, customer.id);
  return { ...options };
}

/** Options for signing in with any of the browser's passkeys for this site. */
export async function signInOptions(ctx: AccountContext): Promise<Record<string, unknown>> {
  const party = relyingParty(ctx.config.publicUrl);
  const options = await generateAuthenticationOptions({
    rpID: party.id,
    userVerification: "required",
    timeout: GOOD_FOR_MS,
  });
  await storeChallenge(ctx, options.challenge, null);
  return { ...options };
}

/** Adds a passkey to an account. @throws AppError passkey_refused, conflict */
export async function addPasskey(
  ctx: AccountContext,
  customer: SessionWithCustomer,
  given: PasskeyCreateRequest & { from: { device: string; network: string } },
): Promise<PasskeyResponse> {
  const now = ctx.clock.now();
  const party = relyingParty(ctx.config.publicUrl);
  const { credential, from, name } = given;
  const expectedChallenge = await consumeChallenge(ctx, credential.response.clientDataJSON, customer.id);
  const verified = await refuseIfRejected(
    verifyRegistrationResponse({
      response: credential,
      expectedChallenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    }),
  );
  if (!verified.verified) throw refused();
  const { credential: made, credentialBackedUp } = verified.registrationInfo;
  const passkey: PasskeyRow = {
    id: uuidv7(),
    customer_id: customer.id,
    credential_id: Buffer.from(made.id, "base64url"),
    public_key: Buffer.from(made.publicKey),
    sign_count: BigInt(made.counter),
    transports: made.transports ?? [],
    name,
    synced: credentialBackedUp,
    created_at: now,
    last_used_at: null,
  };
  await ctx.transaction(async (tx) => {
    await lockSession(tx, customer);
    if ((await listPasskeys(tx, customer.id)).length >= MAX_PASSKEYS)
      throw new AppError("conflict", { reason: "passkeys_full", params: { max: MAX_PASSKEYS } });
    if (!(await insertPasskey(tx, passkey))) throw new AppError("conflict", { reason: "passkey_in_use" });
    await insertSecurityEvent(tx, { customerId: customer.id, kind: "passkey_added", detail: name, from, at: now });
    await sendNotice(tx, customer, { event: "passkey_added", at: now, device: from.device });
  });
  return { id: passkey.id, name };
}

/** Signs in with a passkey, which counts as both factors. @throws AppError passkey_refused */
export async function signInWithPasskey(
  ctx: AccountContext,
  { credential }: PasskeySignInRequest,
  origin: () => SignInOrigin,
): Promise<{ customer: Profile; token: string }> {
  const now = ctx.clock.now();
  const party = relyingParty(ctx.config.publicUrl);
  const expectedChallenge = await consumeChallenge(ctx, credential.response.clientDataJSON, null);
  const passkey = await findPasskey(ctx.handle.db, Buffer.from(credential.id, "base64url"));
  if (passkey === undefined) throw refused();
  const { userHandle: named } = credential.response;
  if (named !== undefined && !Buffer.from(named, "base64url").equals(userHandle(passkey.customer_id))) throw refused();
  const { verified, authenticationInfo } = await refuseIfRejected(
    verifyAuthenticationResponse({
      response: credential,
      expectedChallenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: {
        id: passkey.credential_id.toString("base64url"),
        publicKey: new Uint8Array(passkey.public_key),
        counter: Number(passkey.sign_count),
        transports: passkey.transports,
      },
    }),
  );
  if (!verified) throw refused();
  const { newCounter: count, credentialBackedUp: synced } = authenticationInfo;
  return ctx.transaction(async (tx) => {
    await lockCustomer(tx, passkey.customer_id);
    const customer = await findCustomer(tx, passkey.customer_id);
    const marked = await markPasskeyUsed(tx, { id: passkey.id, countBefore: passkey.sign_count, count, synced, now });
    if (customer === undefined || !marked) throw refused();
    return { customer, token: await startSession(tx, customer.id, now, origin()) };
  });
}

async function storeChallenge(ctx: AccountContext, challenge: string, customerId: string | null): Promise<void> {
  const expiresAt = new Date(ctx.clock.now().getTime() + GOOD_FOR_MS);
  await insertPasskeyChallenge(ctx.handle.db, { hash: hash(challenge), customerId, expiresAt });
}

/** Consumes the challenge named by the browser. Its signature is checked afterwards. */
async function consumeChallenge(ctx: AccountContext, clientDataJSON: string, customerId: string | null): Promise<string> {
  const challenge = challengeIn(clientDataJSON);
  const now = ctx.clock.now();
  if (challenge === null || !(await consumePasskeyChallenge(ctx.handle.db, { hash: hash(challenge), customerId, now })))
    throw refused();
  return challenge;
}

function challengeIn(clientDataJSON: string): string | null {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString("utf8")) as { challenge?: unknown };
    return typeof challenge === "string" ? challenge : null;
  } catch {
    return null;
  }
}

/** Turns all of the library's errors into one refusal. */
async function refuseIfRejected<Result>(verification: Promise<Result>): Promise<Result> {
  try {
    return await verification;
  } catch (error) {
    throw refused(error);
  }
}

function refused(cause?: unknown): AppError {
  return new AppError("passkey_refused", { cause });
}

/** The user handle: the 16 bytes of the id, which reveal nothing about the user (WebAuthn §14.6.1). */
function userHandle(customerId: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(customerId.replaceAll("-", ""), "hex"));
}

function hash(challenge: string): Buffer {
  return createHash("sha256").update(challenge).digest();
}
