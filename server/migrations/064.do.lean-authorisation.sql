-- The same rules for a call as before, for less work: one look at a caller's recent calls instead of one for each rule,
-- and one function instead of 19 checks (see 053 for what a check costs).

alter table call
  drop constraint call_destination_check,
  drop constraint call_country_code_check,
  drop constraint call_status_check,
  drop constraint call_idempotency_key_check,
  drop constraint call_rate_per_minute_micros_check,
  drop constraint call_first_interval_seconds_check,
  drop constraint call_next_interval_seconds_check,
  drop constraint call_bounded_by_check,
  drop constraint call_cap_seconds_check,
  drop constraint call_limit_seconds_check,
  drop constraint call_warned_seconds_check,
  drop constraint call_ticket_hash_check,
  drop constraint call_duration_ms_check,
  drop constraint call_billed_seconds_check,
  drop constraint call_held_micros_check,
  drop constraint call_charge_within_hold,
  drop constraint call_charged_only_when_completed,
  drop constraint call_completed_was_answered,
  drop constraint call_final;
