-- Each customer's address book. One number is one contact.

create table contact (
  id                uuid primary key,
  customer_id       uuid not null references customer (id) on delete cascade,
  first_name        text not null check (char_length(first_name) between 1 and 100),
  last_name         text check (char_length(last_name) between 1 and 100),
  company           text check (char_length(company) between 1 and 120),
  email             text check (char_length(email) between 3 and 254),
  -- E.164.
  phone_number      text not null check (phone_number ~ '^\+[1-9][0-9]{5,14}$'),
  phone_number_type text not null check (phone_number_type in ('mobile', 'work', 'home', 'other')),
  country_code      text not null check (country_code ~ '^[A-Z]{2}$'),
  notes             text check (char_length(notes) between 1 and 2000),
  favorite          boolean not null default false,
  -- Lower case without accents: the name to sort by, and everything a search looks at.
  sort_key          text collate "C" not null check (char_length(sort_key) <= 80),
  search_text       text not null,
  created_at        timestamptz not null,
  updated_at        timestamptz not null
);

-- Also finds the name for a number.
create unique index contact_number on contact (customer_id, phone_number);
create index contact_by_name on contact (customer_id, sort_key, id);
create index contact_favorites on contact (customer_id, sort_key, id) where favorite;
