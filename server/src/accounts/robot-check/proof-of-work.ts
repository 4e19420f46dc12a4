import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { PROOF_BITS, PROOFS, type RobotChallenge, type RobotProof } from "@farline/contract/robot-check.ts";
import { deriveKey, type SecretKey, type SecretKeys } from "../../platform/settings/secret-keys.ts";

/** What a challenge is issued for. Its proof is invalid for any other purpose. */
export type ChallengePurpose = "sign_in" | "register" | "checkout";

const GOOD_FOR_MS = 5 * 60 * 1000;
const RANDOM_BYTES = 16;
const TIME_BYTES = 6;
const FACT_BYTES = RANDOM_BYTES + TIME_BYTES;
const SEED_BYTES = 32;
/** The payload and a 32-byte MAC, in base64url. */
const TOKEN = /^[A-Za-z0-9_-]{72}$/;

/** A correct, unexpired proof. Reuse is checked separately. */
export interface CheckedProof {
  /** SHA-256 of the token. */
  readonly hash: Buffer;
  readonly expiresAt: Date;
}

/** Creates a challenge. Nothing is stored: the token carries its time and our signature (HMAC-SHA-256). */
export function issueChallenge(keys: SecretKeys, purpose: ChallengePurpose, now: Date, bits = PROOF_BITS): RobotChallenge {
  const expiresAt = new Date(now.getTime() + GOOD_FOR_MS);
  const facts = Buffer.alloc(FACT_BYTES);
  randomBytes(RANDOM_BYTES).copy(facts);
  facts.writeUIntBE(expiresAt.getTime(), RANDOM_BYTES, TIME_BYTES);
  const token = Buffer.concat([facts, mac(keys[0], purpose, facts)]).toString("base64url");
  return { token, proofs: PROOFS, bits, expires_at: expiresAt.toISOString() };
}

/** Checks a proof as described in `contract/src/robot-check.ts`, in microseconds. Null if it is wrong or expired. */
export function checkProof(
  keys: SecretKeys,
  purpose: ChallengePurpose,
  proof: RobotProof,
  { now, bits = PROOF_BITS }: { readonly now: Date; readonly bits?: number | undefined },
): CheckedProof | null {
  const expiresAt = readToken(keys, purpose, proof.token);
  if (expiresAt === null || expiresAt <= now || proof.counters.length !== PROOFS) return null;
  const seed = createHash("sha256").update(proof.token).digest();
  const message = Buffer.alloc(SEED_BYTES + 5);
  seed.copy(message);
  const right = proof.counters.every((counter, index) => {
    message.writeUInt8(index, SEED_BYTES);
    message.writeUInt32BE(counter, SEED_BYTES + 1);
    return createHash("sha256").update(message).digest().readUInt32BE() >>> (32 - bits) === 0;
  });
  return right ? { hash: seed, expiresAt } : null;
}

/** A token's expiry, or null if it was not issued for this purpose. */
function readToken(keys: SecretKeys, purpose: ChallengePurpose, token: string): Date | null {
  if (!TOKEN.test(token)) return null;
  const bytes = Buffer.from(token, "base64url");
  const facts = bytes.subarray(0, FACT_BYTES);
  const given = bytes.subarray(FACT_BYTES);
  if (!keys.some((key) => timingSafeEqual(mac(key, purpose, facts), given))) return null;
  return new Date(facts.readUIntBE(RANDOM_BYTES, TIME_BYTES));
}

function mac(key: SecretKey, purpose: ChallengePurpose, facts: Buffer): Buffer {
  return createHmac("sha256", deriveKey(key, `robot check ${purpose}`))
    .update(facts)
    .digest();
}
