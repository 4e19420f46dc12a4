-- Why an account is locked, in a word that its owner is told; of no meaning unless the status is 'frozen'.
alter table customer add column frozen_because text
  check (frozen_because in ('payment', 'calls', 'owner', 'review'));
