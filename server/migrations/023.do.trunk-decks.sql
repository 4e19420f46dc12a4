-- A carrier's price list for one trunk of the exchange. It tells what calls over that trunk cost, and sells nothing.

-- The trunk's name in the exchange's file; null: the deck that calls are sold by.
alter table deck add column trunk text check (char_length(trunk) between 1 and 64);
