-- Receipts, numbered without gaps for each year. Paid payments and completed refunds are their own outbox: a row without a
-- receipt is due for one, so a crash between money and receipt loses nothing.

create table receipt_counter (
  year        integer primary key,
  last_number integer not null check (last_number > 0)
);

create table receipt (
  id            uuid primary key,
  year          integer not null,
  sequence      integer not null check (sequence > 0),
  number        text not null generated always as
    (year::text || '-' || lpad(sequence::text, greatest(6, char_length(sequence::text)), '0')) stored,
  customer_id   uuid not null references customer (id),
  kind          text not null check (kind in ('payment', 'auto_top_up', 'refund', 'withdrawal', 'refund_returned')),
  payment_id    uuid not null references payment (id),
  refund_id     uuid references refund (id),
  -- The receipt that this one corrects, in part or in full.
  corrects_id   uuid references receipt (id),
  amount_micros bigint not null check (amount_micros > 0 and amount_micros % 10000 = 0),
  bonus_micros  bigint not null check (bonus_micros >= 0),
  -- As of the issue: an issued receipt does not change with the settings.
  card_brand    text,
  card_last4    text check (card_last4 ~ '^\d{4}$'),
  buyer_name    text not null,
  buyer_email   text not null,
  seller        jsonb not null,
  -- Issued by a sandbox: no real money moved.
  sample        boolean not null,
  paid_at       timestamptz not null,
  issued_at     timestamptz not null,
  constraint receipt_number_once unique (year, sequence),
  constraint receipt_refund check (
    (kind in ('payment', 'auto_top_up')) = (refund_id is null) and (refund_id is null) = (corrects_id is null)
  )
);

create unique index receipt_of_payment on receipt (payment_id) where refund_id is null;
create unique index receipt_of_refund on receipt (refund_id, (kind = 'refund_returned')) where refund_id is not null;
create index receipt_customer on receipt (customer_id, id desc);

alter table payment add column receipt_id uuid references receipt (id);
create index payment_without_receipt on payment (settled_at) where status = 'paid' and receipt_id is null;

alter table refund
  add column receipt_id uuid references receipt (id),
  -- Of the credit restored because the card did not accept the refund.
  add column return_receipt_id uuid references receipt (id);
create index refund_without_receipt on refund (settled_at)
  where (status = 'succeeded' and receipt_id is null)
    or (status = 'failed' and receipt_id is not null and return_receipt_id is null);
