-- A mail whose recipient the mail server refused for good: the address is wrong, and the page says so.

alter table mail drop constraint mail_state_check;
alter table mail add constraint mail_state_check check (state in ('waiting', 'sent', 'given_up', 'refused'));
create index mail_recipient on mail (recipient, done_at) where state <> 'waiting';
