-- A refund that an operator paid outside the provider, such as a bank transfer for credit that was paid by voucher.

alter table refund drop constraint refund_origin_check,
  add constraint refund_origin_check check (origin in ('withdrawal', 'operator', 'outside', 'fraud_warning', 'provider'));
