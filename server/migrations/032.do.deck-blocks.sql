-- What a deck does not sell although a shorter prefix of it has a price: closed codes, codes that begin later, lines left out, and
-- other countries' numbers under the same calling code.
create table deck_block (
  deck_id      uuid not null references deck (id) on delete cascade,
  prefix       text not null check (prefix ~ '^[0-9]{1,15}$'),
  -- Of the numbering plan.
  country_code text not null check (country_code ~ '^[A-Z]{2}$'),
  primary key (deck_id, prefix)
);

-- When an activation that had not come yet was called off.
alter table deck_activation add column cancelled_at timestamptz;
