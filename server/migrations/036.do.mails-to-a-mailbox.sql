-- For counting the mails to one mailbox over the last day.

create index mail_mailbox on mail (lower(recipient), created_at);
