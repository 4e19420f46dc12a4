import type { AccountTables } from "../../accounts/record/accounts.tables.ts";
import type { BillingTables } from "../../billing/record/billing.tables.ts";
import type { CallTables, QualityReportTables } from "../../calls/record/calls.tables.ts";
import type { CallDetailsTables } from "../../calls/details/details.tables.ts";
import type { CaseTables } from "../../cases/cases.tables.ts";
import type { ContactTables } from "../../contacts/contacts.tables.ts";
import type { ReminderTables } from "../../reminders/reminder.tables.ts";
import type { DeckImportTables } from "../../decks/decks.tables.ts";
import type { FamilyTables } from "../../family/family.tables.ts";
import type { LedgerTables } from "../../ledger/ledger.tables.ts";
import type { MailTables } from "../../mail/mail.tables.ts";
import type { NewsletterTables } from "../../newsletter/newsletter.tables.ts";
import type { OperatorTables } from "../../operator/operator.tables.ts";
import type { PersonalDataTables } from "../../personal-data/personal-data.tables.ts";
import type { PromotionTables } from "../../promotions/promotions.tables.ts";
import type { RateTables } from "../../rates/rates.tables.ts";
import type { RestoreTables } from "../../restore/restore.tables.ts";
import type { TermTables } from "../../terms/terms.tables.ts";
import type { RiskTables } from "../../risk/risk.tables.ts";
import type { SettingTables } from "../../settings/settings.tables.ts";

/** Kysely types of all tables. Each subject declares its own tables, and only it writes them. */
export interface Tables
  extends
    AccountTables,
    BillingTables,
    CallTables,
    CallDetailsTables,
    CaseTables,
    ContactTables,
    ReminderTables,
    DeckImportTables,
    FamilyTables,
    LedgerTables,
    MailTables,
    NewsletterTables,
    OperatorTables,
    PersonalDataTables,
    PromotionTables,
    QualityReportTables,
    RateTables,
    RestoreTables,
    RiskTables,
    TermTables,
    SettingTables {}
