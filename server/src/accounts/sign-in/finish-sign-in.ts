import { createHash, randomBytes } from "node:crypto";
import type { SecondFactorResponse } from "@farline/contract/accounts.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { type SignInOrigin, startSession } from "../session/start-session.ts";
import { countRecoveryCodes, findAuthenticator, insertSignInChallenge, listPasskeys } from "../record/second-factor.store.ts";

const GOOD_FOR_MS = 10 * 60 * 1000;
const CHALLENGE_BYTES = 32;

/** Outcome of a sign-in whose first factor was correct. */
export type FirstFactorOutcome =
  | { readonly kind: "signed_in"; readonly token: string }
  | { readonly kind: "second_factor"; readonly response: SecondFactorResponse };

/** Signs in a customer whose first factor was correct, or issues a challenge if the account has an authenticator. */
export async function finishFirstFactor(
  tx: Transaction,
  customerId: string,
  now: Date,
  origin: SignInOrigin,
): Promise<FirstFactorOutcome> {
  const authenticator = await findAuthenticator(tx, customerId);
  if (authenticator === undefined || authenticator.confirmedAt === null)
    return { kind: "signed_in", token: (await startSession(tx, customerId, now, origin)).token };
  const challenge = randomBytes(CHALLENGE_BYTES).toString("base64url");
  const expiresAt = new Date(now.getTime() + GOOD_FOR_MS);
  await insertSignInChallenge(tx, { hash: hashChallenge(challenge), customerId, createdAt: now, expiresAt });
  const methods: SecondFactorResponse["second_factor"]["methods"] = ["authenticator"];
  if ((await countRecoveryCodes(tx, customerId)) > 0) methods.push("recovery_code");
  if ((await listPasskeys(tx, customerId)).length > 0) methods.push("passkey");
  return { kind: "second_factor", response: { second_factor: { challenge, methods, expires_at: expiresAt.toISOString() } } };
}

/** Hash of a challenge, as stored. */
export function hashChallenge(challenge: string): Buffer {
  return createHash("sha256").update(challenge).digest();
}
