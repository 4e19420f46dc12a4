-- The number of a deck's prices, which a list of decks would otherwise count in millions of rows.
alter table deck add column prices integer not null default 0;
update deck set prices = (select count(*) from deck_rate where deck_rate.deck_id = deck.id);
