-- Cards that are kept while paying with them, payments with a kept card by hand, and payments that brought no credit.

alter table payment
  -- The customer agreed that the provider keeps the card they pay with at the checkout.
  add column keeps_card boolean not null default false,
  -- saved_card_id: the card that is charged without a checkout, by itself or by hand.
  drop constraint payment_auto,
  add constraint payment_auto check (kind <> 'auto' or saved_card_id is not null),
  add constraint payment_keeps_new_card check (not keeps_card or saved_card_id is null);

-- Newest first, as the list of an account shows them.
create index payment_unpaid on payment (customer_id, id desc) where status <> 'paid';

-- The bank asked the card's owner when it was saved, and the owner confirmed.
alter table saved_card add column authenticated boolean not null default false;
