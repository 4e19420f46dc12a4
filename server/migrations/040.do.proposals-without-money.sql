-- Proposals that move no money of a customer: unusual prices and settings.
alter table approval alter column customer_id drop not null;
alter table approval alter column amount_micros drop not null;
