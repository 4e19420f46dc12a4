-- Some payment methods are paid after the checkout: bank debits, vouchers. A pending payment brings credit or fails later.
alter table payment drop constraint payment_status_check;
alter table payment add constraint payment_status_check
  check (status in ('created', 'open', 'pending', 'paid', 'failed', 'expired', 'review'));
-- What the payer saw, when the provider showed the price in their own currency; in its smallest unit. The ledger has dollars.
alter table payment add column presented_amount bigint check (presented_amount > 0);
alter table payment add column presented_currency text check (presented_currency ~ '^[a-z]{3}$');
alter table payment add constraint payment_presented check ((presented_amount is null) = (presented_currency is null));
-- The card's brand, or the method where no card paid, such as paypal.
comment on column payment.card_brand is 'brand of the card, or the payment method where no card paid';
