-- By whom and for what a mail was asked for. Limits count each lane by itself; mails from before this have none.
alter table mail add column lane text;
-- The customer who asked, where a lane also counts by account.
alter table mail add column asked_by uuid;
