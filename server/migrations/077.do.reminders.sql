-- Reminders to call a contact at a time there, by mail.
create table reminder (
  id uuid not null unique,
  customer_id uuid not null,
  contact_id uuid not null,
  -- Where the contact's main number is, so that summer time there moves the reminder.
  time_zone text not null check (char_length(time_zone) between 1 and 60),
  country_code text not null check (country_code ~ '^[A-Z]{2}$'),
  -- On the clock there.
  local_time time not null,
  weekly boolean not null,
  next_at timestamptz not null,
  created_at timestamptz not null,
  primary key (customer_id, id),
  foreign key (customer_id, contact_id) references contact (customer_id, id) on delete cascade
);
create index reminder_due on reminder (next_at);
create index reminder_of_contact on reminder (customer_id, contact_id);
