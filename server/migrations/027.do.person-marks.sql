-- What tells whether two accounts belong to the same person, as keyed hashes. Kept when a session ends and when an account is
-- erased, so that neither gives a second gift.
create table person_mark (
  customer_id uuid not null references customer (id),
  -- local_network: loopback and private ranges, which many share. It says only that the network is known.
  kind        text not null check (kind in ('mailbox', 'browser', 'network', 'local_network')),
  mark        bytea not null check (length(mark) = 32),
  seen_at     timestamptz not null,
  primary key (customer_id, kind, mark)
);

create index person_mark_others on person_mark (kind, mark, seen_at);
create index person_mark_age on person_mark (seen_at);

drop table first_call_origin;
drop index first_call_mailbox_once;
alter table first_call drop column mailbox;
alter table first_call drop constraint first_call_refusal_check;
update first_call set refusal = 'no_origin' where refusal = 'no_browser';
alter table first_call add constraint first_call_refusal_check check (refusal in
  ('off', 'frozen', 'same_address', 'disposable_address', 'same_browser', 'same_network', 'no_origin', 'budget'));
alter table referral drop constraint referral_refusal_check;
alter table referral add constraint referral_refusal_check check (refusal in
  ('not_verified', 'too_small', 'frozen', 'disposable_address', 'same_address', 'same_browser', 'same_network', 'same_card',
    'no_origin', 'budget', 'returned'));

-- Free credit of the last days, counted against the budgets of a day.
create table gift (
  key           text primary key,
  customer_id   uuid not null references customer (id),
  kind          text not null check (kind in ('first_call', 'referral', 'promo')),
  amount_micros bigint not null check (amount_micros > 0),
  given_at      timestamptz not null
);

create index gift_age on gift (given_at);
