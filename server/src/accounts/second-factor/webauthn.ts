import { createHash } from "node:crypto";
import type { PasskeyCreateRequest, PasskeySignInRequest } from "@farline/contract/second-factor.ts";
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import { AppError } from "../../platform/app-error.ts";

/** How long the browser may take to create or use a passkey. */
export const PASSKEY_CHALLENGE_MS = 5 * 60 * 1000;
/** EdDSA, ES256, RS256 (COSE): every authenticator supports one of them. */
const ALGORITHMS = [-8, -7, -257];

/** Options for the browser, with the challenge that they contain. */
export interface PasskeyOptions {
  readonly options: Record<string, unknown>;
  readonly challenge: string;
}

/** A passkey's public half, as stored. */
interface StoredPasskey {
  readonly credential_id: Buffer;
  readonly public_key: Buffer;
  readonly sign_count: bigint;
  readonly transports: string[];
}

/** Options for creating a discoverable passkey with user verification. @param present passkeys that the owner has already */
export async function creationOptions(
  publicUrl: string,
  owner: { readonly id: string; readonly email: string; readonly name: string },
  present: readonly Pick<StoredPasskey, "credential_id" | "transports">[],
): Promise<PasskeyOptions> {
  const party = relyingParty(publicUrl);
  const options = await generateRegistrationOptions({
    rpName: party.name,
    rpID: party.id,
    userID: userHandle(owner.id),
    userName: owner.email,
    userDisplayName: owner.name,
    timeout: PASSKEY_CHALLENGE_MS,
    attestationType: "none",
    supportedAlgorithmIDs: ALGORITHMS,
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    excludeCredentials: present.map((one) => ({ id: one.credential_id.toString("base64url"), transports: one.transports })),
  });
  return { options: { ...options }, challenge: options.challenge };
}

/** Options for signing in with any of the browser's passkeys for this site. */
export async function requestOptions(publicUrl: string): Promise<PasskeyOptions> {
  const options = await generateAuthenticationOptions({
    rpID: relyingParty(publicUrl).id,
    userVerification: "required",
    timeout: PASSKEY_CHALLENGE_MS,
  });
  return { options: { ...options }, challenge: options.challenge };
}

/** Verifies a passkey that the browser has just created. @throws AppError passkey_refused */
export async function verifyCreation(
  publicUrl: string,
  credential: PasskeyCreateRequest["credential"],
  expectedChallenge: string,
): Promise<StoredPasskey & { readonly synced: boolean }> {
  const party = relyingParty(publicUrl);
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
  if (!verified.verified) throw passkeyRefused();
  const { credential: made, credentialBackedUp } = verified.registrationInfo;
  return {
    credential_id: Buffer.from(made.id, "base64url"),
    public_key: Buffer.from(made.publicKey),
    sign_count: BigInt(made.counter),
    transports: made.transports ?? [],
    synced: credentialBackedUp,
  };
}

/** Verifies a sign-in with a stored passkey of this owner. @throws AppError passkey_refused */
export async function verifyUse(
  publicUrl: string,
  credential: PasskeySignInRequest["credential"],
  { ownerId, passkey, expectedChallenge }: { ownerId: string; passkey: StoredPasskey; expectedChallenge: string },
): Promise<{ readonly count: number; readonly synced: boolean }> {
  const party = relyingParty(publicUrl);
  const { userHandle: named = "" } = credential.response;
  if (named !== "" && !Buffer.from(named, "base64url").equals(userHandle(ownerId))) throw passkeyRefused();
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
  if (!verified) throw passkeyRefused();
  return { count: authenticationInfo.newCounter, synced: authenticationInfo.credentialBackedUp };
}

/**
 * Consumes the challenge that the browser claims to answer, whose signature is checked afterwards.
 * @param consume takes the challenge with this hash from the store; false if it was not issued, was used, or expired
 * @throws AppError passkey_refused
 */
export async function consumeNamedChallenge(
  clientDataJSON: string,
  consume: (hash: Buffer) => Promise<boolean>,
): Promise<string> {
  const challenge = challengeIn(clientDataJSON);
  if (challenge === null || !(await consume(hashPasskeyChallenge(challenge)))) throw passkeyRefused();
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

/** Hash of a passkey's challenge, as stored. */
export function hashPasskeyChallenge(challenge: string): Buffer {
  return createHash("sha256").update(challenge).digest();
}

export function passkeyRefused(cause?: unknown): AppError {
  return new AppError("passkey_refused", { cause });
}

/** Turns all of the library's errors into one refusal. */
async function refuseIfRejected<Result>(verification: Promise<Result>): Promise<Result> {
  try {
    return await verification;
  } catch (error) {
    throw passkeyRefused(error);
  }
}

/** The user handle: the 16 bytes of the id, which reveal nothing about the user (WebAuthn §14.6.1). */
function userHandle(ownerId: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(ownerId.replaceAll("-", ""), "hex"));
}

/** The relying party. Passkeys work only under this name, so look-alike sites cannot use them. */
interface RelyingParty {
  readonly name: string;
  /** Host name, without port. */
  readonly id: string;
  readonly origin: string;
}

function relyingParty(publicUrl: string): RelyingParty {
  const { hostname, origin } = new URL(publicUrl);
  return { name: "Farline", id: hostname, origin };
}
