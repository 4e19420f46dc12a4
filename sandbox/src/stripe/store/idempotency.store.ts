import type { Tx } from "./schema.ts";

const KEEP_MS = 24 * 60 * 60_000;

export interface KeptAnswer {
  fingerprint: string;
  status: number;
  body: unknown;
}

/** Takes the key for this transaction. False while another request with the same key is at work. */
export async function takeKey(tx: Tx, key: string): Promise<boolean> {
  const { rows } = await tx.query<{ taken: boolean }>(
    "select pg_try_advisory_xact_lock(hashtextextended($1, 7395521)) as taken",
    [key],
  );
  return rows[0]?.taken === true;
}

/** The answer once given to this key, if that was less than 24 hours ago. */
export async function keptAnswer(tx: Tx, key: string, nowMs: number): Promise<KeptAnswer | null> {
  const { rows } = await tx.query<KeptAnswer>(
    "select fingerprint, status, body from sandbox_stripe.idempotency where key = $1 and created_at > $2",
    [key, new Date(nowMs - KEEP_MS)],
  );
  return rows[0] ?? null;
}

/** Keeps an answer in the same transaction as what was done for it. */
export async function keepAnswer(tx: Tx, key: string, answer: KeptAnswer, nowMs: number): Promise<void> {
  await tx.query(
    `insert into sandbox_stripe.idempotency (key, fingerprint, status, body, created_at) values ($1, $2, $3, $4, $5)
     on conflict (key) do update set fingerprint = excluded.fingerprint, status = excluded.status, body = excluded.body, created_at = excluded.created_at`,
    [key, answer.fingerprint, answer.status, JSON.stringify(answer.body), new Date(nowMs)],
  );
}
