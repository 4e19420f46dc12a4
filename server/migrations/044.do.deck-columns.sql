-- The columns of the file from which a deck was imported, in their order, with what each means. The next file of the same carrier is
-- compared with them.
create table deck_columns (
  deck_id uuid primary key references deck (id) on delete cascade,
  layout  jsonb not null check (jsonb_typeof(layout) = 'array')
);
