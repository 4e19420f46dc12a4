-- The receipts of a month, for its taxes.
create index receipt_paid on receipt using brin (paid_at) with (pages_per_range = 32, autosummarize = on);
