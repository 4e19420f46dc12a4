-- When the provider first said that the call's leg is not alive, without a reason that is known yet; null after it was seen alive.
alter table call add column not_alive_since timestamptz;
