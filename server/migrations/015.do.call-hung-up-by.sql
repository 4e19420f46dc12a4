-- Which side hung up an answered call, as the provider tells it. Check: call_is_sound.
alter table call add column hung_up_by text;
