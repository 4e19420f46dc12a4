-- Whether a second operator confirmed an activation. Later price lists are compared with the latest such deck.
alter table deck_activation add column confirmed boolean not null default false;
