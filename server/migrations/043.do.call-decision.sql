-- What a call's decision was made by, for operators.
alter table call add column decided_by jsonb check (jsonb_typeof(decided_by) = 'object');
