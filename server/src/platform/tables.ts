import type { AccountTables } from "../accounts/accounts.tables.ts";
import type { BillingTables } from "../billing/billing.tables.ts";
import type { CallTables } from "../calls/calls.tables.ts";
import type { LedgerTables } from "../ledger/ledger.tables.ts";
import type { MailTables } from "../mail/mail.tables.ts";
import type { NewsletterTables } from "../newsletter/newsletter.tables.ts";
import type { RateTables } from "../rates/rates.tables.ts";

/** Every table, as Kysely sees it. Each subject describes its own and alone writes them. */
export interface Tables
  extends AccountTables, BillingTables, CallTables, LedgerTables, MailTables, NewsletterTables, RateTables {}
