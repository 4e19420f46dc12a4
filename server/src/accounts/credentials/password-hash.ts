import { createHmac } from "node:crypto";
import { hash, verify, type Algorithm } from "@node-rs/argon2";
import { AppError } from "../../platform/app-error.ts";
import { deriveKey, type SecretKeys } from "../../platform/settings/secret-keys.ts";
import type { StoredPassword } from "../record/customer.store.ts";

/** Argon2id. The library's enum exists only as a type. */
const ARGON2ID = 2 as Algorithm;
/** Cost of a hash: memory in KiB, passes, lanes. */
export interface PasswordCost {
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/** OWASP Password Storage Cheat Sheet: 19 MiB, two passes, one lane. */
export const PASSWORD_COST: PasswordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const MAX_CONCURRENT = 4;
const MAX_QUEUED = 32;
const RETRY_AFTER_SECONDS = 2;

let running = 0;
let peakRunning = 0;
const waiting: (() => void)[] = [];
const decoys = new Map<string, Promise<string>>();

/** The highest number of concurrent hashes in this process so far. */
export function peakConcurrentHashes(): number {
  return peakRunning;
}

/** @throws AppError unavailable if too many passwords are being hashed */
export async function hashPassword(keys: SecretKeys, password: string, cost = PASSWORD_COST): Promise<StoredPassword> {
  const made = await inTurn(() => hash(mix(keys, password, keys[0].id), { algorithm: ARGON2ID, ...cost }));
  return { hash: made, keyId: keys[0].id };
}

/**
 * Compares a password with a stored one. Takes the same time without one, so that response times do not reveal
 * whether an address is registered.
 * @returns whether it is correct, and whether to rehash it because the hash parameters changed
 * @throws AppError unavailable if too many passwords are being hashed
 */
export function verifyPassword(
  keys: SecretKeys,
  password: string,
  stored: StoredPassword | null,
  cost = PASSWORD_COST,
): Promise<{ right: boolean; stale: boolean }> {
  return inTurn(async () => {
    if (stored === null) {
      await verify(await decoyOf(cost), mix(keys, password, keys[0].id));
      return { right: false, stale: false };
    }
    const right = await verify(stored.hash, mix(keys, password, stored.keyId));
    return { right, stale: stored.keyId !== keys[0].id || !stored.hash.startsWith(formOf(cost)) };
  });
}

/** Prefix of a stored password of this cost. */
function formOf({ memoryCost, timeCost, parallelism }: PasswordCost): string {
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`;
}

function decoyOf(cost: PasswordCost): Promise<string> {
  const form = formOf(cost);
  const made = decoys.get(form) ?? hash("no password is this one", { algorithm: ARGON2ID, ...cost });
  decoys.set(form, made);
  return made;
}

function mix(keys: SecretKeys, password: string, keyId: string | null): string {
  if (keyId === null) return password;
  const key = keys.find((one) => one.id === keyId);
  if (key === undefined) throw new Error(`SECRET_KEYS lacks the key "${keyId}", with which passwords were hashed`);
  return createHmac("sha256", deriveKey(key, "password")).update(password).digest("base64");
}

/** Each hash takes 19 MiB and about 25 ms of a core: limits concurrency and queue length, and refuses the rest. */
async function inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
  if (running >= MAX_CONCURRENT) {
    if (waiting.length >= MAX_QUEUED)
      throw new AppError("unavailable", { reason: "sign_in_busy", retryAfterSeconds: RETRY_AFTER_SECONDS });
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else {
    running += 1;
    peakRunning = Math.max(peakRunning, running);
  }
  try {
    return await run();
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}
