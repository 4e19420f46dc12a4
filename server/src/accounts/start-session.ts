import { uuidv7 } from "uuidv7";
import type { Tx } from "../platform/database.ts";
import { insertSession } from "./accounts.store.ts";
import { hashToken, newToken } from "./session-token.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const IDLE_DAYS = 7;
const ABSOLUTE_DAYS = 30;
const MOST_SESSIONS = 10;

/** A session not seen since this time is over. */
export function idleSince(now: Date): Date {
  return new Date(now.getTime() - IDLE_DAYS * DAY_MS);
}

/** Signs a customer in on one more device; the longest unused device beyond ten is signed out. Returns the token. */
export async function startSession(tx: Tx, customerId: string, now: Date): Promise<string> {
  const token = newToken();
  const expiresAt = new Date(now.getTime() + ABSOLUTE_DAYS * DAY_MS);
  await insertSession(tx, { id: uuidv7(), customerId, tokenHash: hashToken(token), now, expiresAt, most: MOST_SESSIONS });
  return token;
}
