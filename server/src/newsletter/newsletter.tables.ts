import type { Language } from "@farline/contract/languages.ts";

/** Tables of this subject, as Kysely sees them. */
export interface NewsletterTables {
  newsletter_subscription: {
    id: string;
    email: string;
    /** The address in lower case. */
    email_key: string;
    language: Language;
    state: "asked" | "confirmed" | "ended";
    asked_at: Date;
    confirmed_at: Date | null;
    ended_at: Date | null;
  };
}
