import { DAY_MS } from "@farline/domain/durations.ts";
import type { Tx } from "../../database.ts";

export interface StoredResponse {
  fingerprint: string;
  status: number;
  body: unknown;
}

/** Locks the key until the transaction ends. Returns false while another request holds it. */
export async function lockKey(tx: Tx, key: string): Promise<boolean> {
  const { rows } = await tx.query<{ taken: boolean }>(
    "select pg_try_advisory_xact_lock(hashtextextended($1, 7395521)) as taken",
    [key],
  );
  return rows[0]?.taken === true;
}

/** The response stored for this key in the last 24 hours. */
export async function findResponse(tx: Tx, key: string, nowMs: number): Promise<StoredResponse | null> {
  const { rows } = await tx.query<StoredResponse>(
    "select fingerprint, status, body from sandbox_stripe.idempotency where key = $1 and created_at > $2",
    [key, new Date(nowMs - DAY_MS)],
  );
  return rows[0] ?? null;
}

/** Stores a response; call it in the transaction of the request. */
export async function storeResponse(tx: Tx, key: string, answer: StoredResponse, nowMs: number): Promise<void> {
  await tx.query(
    `insert into sandbox_stripe.idempotency (key, fingerprint, status, body, created_at) values ($1, $2, $3, $4, $5)
     on conflict (key) do update set fingerprint = excluded.fingerprint, status = excluded.status, body = excluded.body, created_at = excluded.created_at`,
    [key, answer.fingerprint, answer.status, JSON.stringify(answer.body), new Date(nowMs)],
  );
}
