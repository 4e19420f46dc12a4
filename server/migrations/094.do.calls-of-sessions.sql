-- The session that made a call, or to which it was moved. Null for calls from before this column, and for calls recovered after a restore.
alter table call add column caller_session_id uuid;

-- Which session ended, and whether its calls end with it. Null for sessions that ended before these columns.
alter table ended_session add column session_id uuid, add column ends_calls boolean;
create index if not exists ended_session_session on ended_session (session_id) where session_id is not null;

-- The session that asked for a download. Null for tickets from before this column.
alter table download_ticket add column session_id uuid;
