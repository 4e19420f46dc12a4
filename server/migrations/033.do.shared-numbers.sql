-- A number may belong to several contacts, and has its extension: people at one switchboard, a couple on one landline.

alter table contact_number
  -- Dialled after the answer: digits, * and #, with a comma for each pause. Empty without one.
  add column extension text not null default '' check (extension ~ '^[0-9*#,]{0,32}$');

drop index contact_number_once;
create unique index contact_number_once on contact_number (contact_id, phone_number, extension);
-- Finds the names for a number.
create index contact_number_number on contact_number (customer_id, phone_number);
