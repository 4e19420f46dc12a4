-- When the ledger last added up, which a later check that finds deviations keeps.
alter table ledger_check add column good_at timestamptz;
update ledger_check set good_at = checked_at where deviations = 0;
-- The overview counts new customers by day.
create index customer_created on customer (created_at);
