-- When a difference with the payment provider was first found: each run compares again what differed in the one before. Null for those
-- from before this column.
alter table reconciliation_difference add column found_at timestamptz;
