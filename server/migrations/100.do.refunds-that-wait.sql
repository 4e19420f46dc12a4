-- What a refund waits for, as the payment provider writes it; null in older rows and once it has settled.
alter table refund add column if not exists pending_reason text;
alter table refund add constraint refund_pending_reason check (char_length(pending_reason) between 1 and 100) not valid;
