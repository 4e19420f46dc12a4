-- A called number cut to the prefix of its rate, "+491515*". At least four digits go.
create or replace function shorten_number(number text, prefix text) returns text language sql immutable as $$
  select case when number like '%*' then number
    else '+' || left(prefix, greatest(1, least(char_length(prefix), char_length(number) - 5))) || '*' end
$$;
