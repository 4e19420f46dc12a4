import { PROOF_BITS, PROOFS, type RobotProof, type RobotChallenge } from "@farline/contract/robot-check.ts";
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { AppError } from "../../platform/app-error.ts";
import { consumeRobotChallenge, countSignIn, readSignIns } from "./robot-check.store.ts";
import type { ServiceContext, Context } from "../../context.ts";
import { deriveKey, type SecretKey, type SecretKeys } from "../../platform/settings/secret-keys.ts";

const GOOD_FOR_MS = 5 * 60 * 1000;
const RANDOM_BYTES = 16;
const TIME_BYTES = 6;
const FACT_BYTES = RANDOM_BYTES + TIME_BYTES;
const SEED_BYTES = 32;
/** The payload and a 32-byte MAC, in base64url. */
const TOKEN = /^[A-Za-z0-9_-]{72}$/;
const ATTACK_WINDOW_MS = 10 * 60 * 1000;
/** An attack has at least this many wrong passwords in the window, and this share of all attempts. */
const ATTACK_FAILURES = 100;
const ATTACK_SHARE = 0.5;

/**
 * Requires a solved challenge, and consumes it. Involves no third party and learns nothing about the person: one
 * request costs little work, many cost a lot.
 * @throws AppError challenge_required with a new challenge, if the proof is missing, wrong or expired
 */
export async function requireProof(
  { handle, clock, config, costs }: ServiceContext,
  purpose: ChallengePurpose,
  proof: RobotProof | undefined,
): Promise<void> {
  const now = clock.now();
  const checked = proof === undefined ? null : checkProof(config.secretKeys, purpose, proof, { now, bits: costs.proofBits });
  if (checked !== null && (await consumeRobotChallenge(handle.db, checked))) return;
  const challenge = issueChallenge(config.secretKeys, purpose, now, costs.proofBits);
  throw new AppError("challenge_required", { challenge });
}

/** Counts of the last ten minutes. */
interface SignInCounts {
  readonly tries: number;
  readonly failures: number;
  /** Credential stuffing: leaked passwords are being tried on many accounts. */
  readonly attack: boolean;
}

/**
 * Detects attacks across accounts that stay below the limits of any single account or network. Counts in the database, one
 * row a minute, so that all instances share it and restarts lose nothing.
 */
export interface AttackDetector {
  /** Counts a checked password. */
  count(failed: boolean): Promise<void>;
  read(): Promise<SignInCounts>;
}

/** The limits' scale multiplies the number of failures; 0 turns the detection off. */
export function attackDetector({ handle, clock, config }: Context): AttackDetector {
  const scale = config.limitsScale;
  const failuresAllowed = Math.max(1, Math.round(ATTACK_FAILURES * scale));
  return {
    async count(failed) {
      if (scale !== 0) await countSignIn(handle.db, clock.now(), failed);
    },
    async read() {
      if (scale === 0) return { tries: 0, failures: 0, attack: false };
      const { tries, failures } = await readSignIns(handle.db, new Date(clock.now().getTime() - ATTACK_WINDOW_MS));
      return { tries, failures, attack: failures >= failuresAllowed && failures > tries * ATTACK_SHARE };
    },
  };
}

/** What a challenge is issued for. Its proof is invalid for any other purpose. */
type ChallengePurpose = "sign_in" | "register" | "checkout";

/** A correct, unexpired proof. Reuse is checked separately. */
interface CheckedProof {
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
