-- What a call counts as stands in the call: a listed range is never ordinary, however cheap (017), which its price does not tell.

alter table call add column price_class text not null default 'A';
-- Of calls made before this only the price is known.
update call set price_class = case when rate_per_minute_micros > 600000 then 'C' else 'B' end where rate_per_minute_micros > 150000;
alter table call alter column price_class drop default;
