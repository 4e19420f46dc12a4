-- A page of one kind is read without passing over the others.
create index ledger_entry_by_kind on ledger_entry (customer_id, kind, sequence) where kind <> 'call';
drop index ledger_entry_other_than_call;
