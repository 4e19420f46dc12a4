-- A link that two administrators agreed on waits here, without a token, until the one who proposed it fetches it.
alter table operator_invitation alter column token_hash drop not null;
alter table operator_invitation add column proposed_by uuid;
alter table operator_invitation add constraint operator_invitation_waits check (token_hash is not null or proposed_by is not null) not valid;
