import type { Language } from "@farline/contract/languages.ts";

/** Kysely types of this subject's tables. */
export interface NewsletterTables {
  newsletter_subscription: {
    id: string;
    email: string;
    /** Lower-case address. */
    email_key: string;
    language: Language;
    state: "asked" | "confirmed" | "ended";
    asked_at: Date;
    confirmed_at: Date | null;
    ended_at: Date | null;
  };
}
