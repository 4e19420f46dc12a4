-- What a proposal's operation gets when it is confirmed; null in older rows. The actions are spelled as everywhere else.
alter table approval add column if not exists input jsonb;
update approval set action = case action when 'write_off' then 'write-off' when 'promo_create' then 'create-promo' else 'refund-call' end
  where action in ('write_off', 'promo_create', 'grant-call-refund');
