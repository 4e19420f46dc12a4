-- A browser's credential at the voice provider belongs to the session that asked for it, and is deleted there when that ends.

-- Null: made by a release that shared one among a customer's sessions. Such a one ends with its time.
alter table voice_credential add column session_id uuid;
-- When it is next deleted at the provider; null while it is in use.
alter table voice_credential add column removal_due_at timestamptz;
alter table voice_credential add column removal_tries smallint not null default 0;

create index voice_credential_removal on voice_credential (removal_due_at);
