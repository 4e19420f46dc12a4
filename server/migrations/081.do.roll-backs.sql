-- The ordinary activation to which a roll-back returned, so that the next one goes further back. Null for all others.
alter table deck_activation add column returns_to uuid;
-- A list of costs names its trunk; a name of spaces is none.
alter table deck add constraint deck_trunk_named check (trunk ~ '\S') not valid;
