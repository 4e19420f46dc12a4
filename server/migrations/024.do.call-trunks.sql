-- How a call went through the network, as the exchange tells it.

-- The trunk that carried the call, or that was tried last; null where the provider names none.
alter table call add column trunk text check (char_length(trunk) between 1 and 64);
-- Each attempt over a trunk, in order: its trunk, start, duration, SIP status, Q.850 cause and outcome.
alter table call add column trunk_attempts jsonb check (jsonb_typeof(trunk_attempts) = 'array' and jsonb_array_length(trunk_attempts) <= 8);
