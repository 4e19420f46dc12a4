-- What the refund rule gave back by itself, for its ceilings.
create index call_refund_by_rule on call_refund_request (decided_at) where decided_by = 'rule';
