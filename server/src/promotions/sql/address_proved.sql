-- Wakes what waits for a verified address, however it came to be verified: by link, Google or a change of address.
create or replace function address_proved() returns trigger language plpgsql as $$
begin
  insert into first_call (customer_id, next_look_at, created_at) values (new.id, now(), now()) on conflict do nothing;
  update referral set next_look_at = now()
    where state = 'invited' and next_look_at is not null and new.id in (invited_id, inviter_id);
  return null;
end
$$;

create or replace trigger customer_address_proved after insert or update of email_verified on customer
  for each row when (new.email_verified) execute function address_proved();
