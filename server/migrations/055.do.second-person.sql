-- From when an operator counts as a second person. The default is for the previous release, which does not know the column.
alter table operator add column trusted_from timestamptz not null default now() + interval '7 days';
update operator set trusted_from = created_at;
