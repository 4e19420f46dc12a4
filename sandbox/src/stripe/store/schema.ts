import type { Pool, PoolClient } from "pg";

export type Tx = Pool | PoolClient;

const STATEMENTS = `
create schema if not exists sandbox_stripe;
create table if not exists sandbox_stripe.object (
  seq bigint generated always as identity,
  id text primary key,
  type text not null,
  created bigint not null,
  data jsonb not null,
  hidden jsonb not null default '{}'
);
create index if not exists object_by_type on sandbox_stripe.object (type, seq);
create index if not exists open_session on sandbox_stripe.object (((data->>'expires_at')::bigint))
  where type = 'checkout.session' and data->>'status' = 'open';
create index if not exists late_refund on sandbox_stripe.object (((hidden->>'dueAt')::bigint)) where type = 'refund' and hidden ? 'dueAt';
create index if not exists object_of_intent on sandbox_stripe.object ((data->>'payment_intent'), seq)
  where data->>'payment_intent' is not null;
create index if not exists object_of_customer on sandbox_stripe.object ((data->>'customer'), seq)
  where data->>'customer' is not null;
create table if not exists sandbox_stripe.setting (
  name text primary key,
  value jsonb not null
);
create table if not exists sandbox_stripe.idempotency (
  key text primary key,
  fingerprint text not null,
  status int not null,
  body jsonb not null,
  created_at timestamptz not null
);
create table if not exists sandbox_stripe.delivery (
  id bigint generated always as identity primary key,
  event_id text not null references sandbox_stripe.object (id) on delete cascade,
  attempts int not null default 0,
  next_at timestamptz not null,
  done_at timestamptz,
  outcome text
);
create index if not exists delivery_of_event on sandbox_stripe.delivery (event_id);
create index if not exists delivery_due on sandbox_stripe.delivery (next_at) where done_at is null;
`;
const SCHEMA_LOCK = 7_395_521;

/** Creates the tables where they are missing. */
export async function createSchema(pool: Pool): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await tx.query("select pg_advisory_xact_lock($1)", [SCHEMA_LOCK]); // two starts at once would collide in the catalogue
    await tx.query(STATEMENTS);
  });
}

/** Runs the callback in one transaction and rolls it back when the callback throws. */
export async function inTransaction<Result>(pool: Pool, run: (tx: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    const result = await run(client);
    await client.query("commit");
    client.release();
    return result;
  } catch (error) {
    await client.query("rollback").then(
      () => client.release(),
      (broken: unknown) => client.release(broken as Error), // the connection is gone: the pool drops it
    );
    throw error;
  }
}
