-- Which deck is in force from when. Decks and activations never change: going back to a deck is a new activation of it.

create table deck_activation (
  id           uuid primary key,
  deck_id      uuid not null references deck (id),
  effective_at timestamptz not null,
  operator     text not null,
  reason       text not null,
  created_at   timestamptz not null
);

insert into deck_activation (id, deck_id, effective_at, operator, reason, created_at)
  select id, id, effective_at, 'system', 'loaded before activations', created_at from deck;

create index deck_activation_effective on deck_activation (effective_at desc, created_at desc);

alter table deck drop column effective_at;
-- SHA-256 of all its prices, so that the same list is noticed.
alter table deck add column checksum text;
create index deck_checksum on deck (checksum);
