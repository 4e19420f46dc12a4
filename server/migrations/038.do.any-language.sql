-- The service's schemas say which languages there are: a new one needs no migration.
alter table customer drop constraint customer_language_check;
alter table mail drop constraint mail_language_check;
alter table newsletter_subscription drop constraint newsletter_subscription_language_check;
