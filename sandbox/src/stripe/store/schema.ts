/** The tables of the Stripe stand-in; creating them again changes nothing. */
export const STRIPE_TABLES = `
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
