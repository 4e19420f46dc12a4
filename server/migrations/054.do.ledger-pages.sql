-- Reading an account by kind and by time, without an index that every charge would have to keep.

-- Top-ups, refunds and grants are few among the calls.
create index ledger_entry_other_than_call on ledger_entry (customer_id, sequence) include (kind) where kind <> 'call';
