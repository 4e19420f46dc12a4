-- The published quality of calls by destination: rounded figures, without customers. Only the latest report is kept.
create table quality_report (
  -- The last complete day (UTC) that it covers.
  last_day text primary key check (last_day ~ '^20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$'),
  made_at timestamptz not null,
  -- As `GET /api/quality` publishes them.
  destinations jsonb not null
);
