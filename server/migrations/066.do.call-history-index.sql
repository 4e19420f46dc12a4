-- Lists, filters and sums over a customer's calls are read from the index alone, also where there are very many.
drop index call_history;
create index call_history on call (customer_id, created_at desc, id desc)
  include (destination, country_code, status, duration_ms, charge_micros);
