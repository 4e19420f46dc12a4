import { expect, test } from "vitest";
import { findLongLocks } from "./check-migrations.ts";

test.each([
  "create index call_found on call (found_at);",
  "create unique index call_found on only call (found_at)",
  "create index concurrently call_found on call (found_at)",
  "alter table call add constraint found_once check (found_at > now())",
  "alter table call add column found_at timestamptz check (found_at > now())",
  "alter table call add foreign key (found_by) references operator (id)",
  "alter table call alter column found_at set not null",
  "alter table call alter found_at type date",
  "alter table call add column day date generated always as (found_at::date) stored",
  "update call set found_at = created_at",
  "-- All of them.\ndelete from call;",
])("a migration may not hold a large table: %s", (sql) => {
  expect(findLongLocks(sql)).toHaveLength(1);
});

test.each([
  "create table found (id uuid primary key); create index found_id on found (id); alter table found add check (id is not null);",
  "create index if not exists call_found on call (found_at)",
  "alter table call add constraint found_once check (found_at > now()) not valid",
  "alter table call validate constraint found_once",
  "alter table call add column found_at timestamptz",
  "alter table call drop constraint found_once",
  "-- update call set found_at = now();\ninsert into found select id from call",
  "update call set found_at = now() where id = 'one'",
  "update setting set value = 1",
  "alter type ledger_kind add value 'gift'",
])("a migration may change little at a time: %s", (sql) => {
  expect(findLongLocks(sql)).toEqual([]);
});
