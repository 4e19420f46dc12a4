-- What a refund took that did not reach the payer comes back. A reward that was taken back names the bookings that restore it.
alter table referral add column taken_for text;

-- A refund of this payment failed: it may be tried again, and does not stand in the way of an erasure.
alter table payment add column return_failed boolean not null default false;
