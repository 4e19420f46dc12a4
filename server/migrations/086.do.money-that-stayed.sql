-- Only money that stayed counts: towards a tier, towards a free first call's bounds, and against the bonus it earned.

alter table payment
  -- What of a payment is not on its way back to a card, nor disputed.
  add column stayed_micros bigint not null
    generated always as (greatest(charge_micros - refunded_micros - disputed_micros, 0)) stored;

-- What an invitation brought is taken back in the transaction in which its payment goes back.
update referral set state = 'taken_back', next_look_at = null where state = 'taking_back';
alter table referral drop constraint referral_state_check, add constraint referral_state_check
  check (state in ('invited', 'rewarded', 'refused', 'taken_back'));

-- Whether somebody has paid stands in their payments.
alter table first_call drop column paid_at;
