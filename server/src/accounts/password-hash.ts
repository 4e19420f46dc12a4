import { hash, verify, type Algorithm } from "@node-rs/argon2";
import { AppError } from "../platform/app-error.ts";

/** Argon2id; the enum of the library exists only as a type, so its value stands here. */
const ARGON2ID = 2 as Algorithm;
/** OWASP Password Storage Cheat Sheet: 19 MiB, two passes, one lane. */
const OPTIONS = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const MOST_AT_ONCE = 4;
const MOST_WAITING = 32;
const RETRY_AFTER_SECONDS = 2;

let running = 0;
const waiting: (() => void)[] = [];
let decoy: Promise<string> | null = null;

/** @throws AppError unavailable when too many passwords are being worked on */
export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(password, OPTIONS));
}

/**
 * Compares a password with a stored hash. Without one it takes as long all the same, so that the time does not tell
 * whether an address is known.
 * @throws AppError unavailable when too many passwords are being worked on
 */
export function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  return inTurn(async () => {
    if (stored !== null) return verify(stored, password);
    decoy ??= hash("no password is this one", OPTIONS);
    await verify(await decoy, password);
    return false;
  });
}

/** Each hash takes 19 MiB and some 25 ms of a core: few at once, a short queue, then a clear no. */
async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running >= MOST_AT_ONCE) {
    if (waiting.length >= MOST_WAITING)
      throw new AppError("unavailable", "Too many people are signing in right now. Try again in a moment.", {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else {
    running += 1;
  }
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}
