-- Questions of customers to the people who run the service, and their answers.

create table support_case (
  id          uuid primary key,
  -- What customers and operators call it by.
  number      bigint generated always as identity (start with 1001) unique,
  customer_id uuid not null references customer (id) on delete cascade,
  topic       text not null check (topic in ('sound', 'charge', 'number', 'payment', 'account', 'other')),
  message     text not null check (char_length(message) between 1 and 2000),
  -- What it is about: the customer's own.
  call_id     uuid references call (id),
  payment_id  uuid references payment (id),
  state       text not null default 'open' check (state in ('open', 'answered', 'closed')),
  answer      text check (char_length(answer) between 1 and 4000),
  -- The client's Idempotency-Key.
  request_key text check (char_length(request_key) between 1 and 255),
  created_at  timestamptz not null,
  answered_at timestamptz,
  closed_at   timestamptz,
  constraint support_case_about_one check (num_nonnulls(call_id, payment_id) <= 1),
  constraint support_case_answered check ((answer is null) = (answered_at is null)),
  constraint support_case_state check (
    case state
      when 'open' then answered_at is null and closed_at is null
      when 'answered' then answered_at is not null and closed_at is null
      else closed_at is not null
    end
  ),
  constraint support_case_request_once unique (customer_id, request_key)
);

create index support_case_customer on support_case (customer_id, id desc);
create index support_case_open on support_case (id) where state = 'open';
create index support_case_call on support_case (call_id) where call_id is not null;
create index support_case_payment on support_case (payment_id) where payment_id is not null;
