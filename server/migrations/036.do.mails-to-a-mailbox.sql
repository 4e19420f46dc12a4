-- How many mails a mailbox got in a day is counted before each further one.

create index mail_mailbox on mail (lower(recipient), created_at);
