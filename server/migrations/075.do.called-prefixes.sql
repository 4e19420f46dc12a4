-- How often the prefixes of a country's mobile and landline numbers were called lately, without customers: what most calls cost follows
-- from it. Made once a day from complete days; a country and type with fewer than 100 counted calls is absent.
create table called_prefix (
  country_code text not null check (country_code ~ '^[A-Z]{2}$'),
  number_type text not null check (number_type in ('mobile', 'landline', 'fixed_or_mobile')),
  prefix text not null check (prefix ~ '^\d{1,15}$'),
  calls integer not null check (calls > 0),
  made_at timestamptz not null,
  primary key (country_code, number_type, prefix)
);
