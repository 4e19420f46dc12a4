-- A contact has several numbers; one number still belongs to one contact of a customer.

alter table contact add constraint contact_of_customer unique (customer_id, id);
drop index contact_number;

create table contact_number (
  customer_id       uuid not null,
  contact_id        uuid not null,
  -- The order in which the customer wrote them: 0 is the main number.
  position          smallint not null check (position between 0 and 19),
  -- E.164.
  phone_number      text not null check (phone_number ~ '^\+[1-9][0-9]{5,14}$'),
  phone_number_type text not null check (phone_number_type in ('mobile', 'work', 'home', 'other')),
  country_code      text not null check (country_code ~ '^[A-Z]{2}$'),
  primary key (contact_id, position),
  foreign key (customer_id, contact_id) references contact (customer_id, id) on delete cascade
);

-- Also finds the name for a number.
create unique index contact_number_once on contact_number (customer_id, phone_number);

insert into contact_number (customer_id, contact_id, position, phone_number, phone_number_type, country_code)
  select customer_id, id, 0, phone_number, phone_number_type, country_code from contact;

alter table contact drop column phone_number, drop column phone_number_type, drop column country_code;
