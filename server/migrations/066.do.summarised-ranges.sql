-- An index of ranges does not cover new pages until a vacuum, which comes after a fifth of the table is new. Rows of the last hours, which
-- jobs and figures read, are then found only by reading all new pages. This covers each range as soon as the next one begins.
alter index call_begun set (autosummarize = on);
alter index hold_made set (autosummarize = on);
alter index ledger_transaction_booked set (autosummarize = on);
alter index payment_begun set (autosummarize = on);
