-- The texts of notices that operators have read in a carrier's price lists. The carrier's next file may repeat them.
alter table deck_columns add column notices jsonb not null default '[]' check (jsonb_typeof(notices) = 'array');
