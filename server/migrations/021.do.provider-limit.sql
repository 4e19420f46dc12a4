-- A provider may be unable to raise the limit of a running call. It is then told a longer one at the start, and the service ends
-- the call at its own.

-- Seconds from the answer after which the provider ends the call; null until it was dialled.
alter table call add column provider_seconds integer check (provider_seconds between 1 and 14400);
