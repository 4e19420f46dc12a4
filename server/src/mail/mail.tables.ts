import type { ColumnType, Generated } from "kysely";
import type { Language } from "@farline/contract/languages.ts";

/** Kysely types of this subject's tables. */
export interface MailTables {
  mail: {
    id: string;
    key: string;
    recipient: string;
    template: string;
    language: Language;
    /** As JSON text when written. */
    data: ColumnType<unknown, string, null>;
    state: Generated<"waiting" | "sent" | "given_up" | "refused">;
    attempts: Generated<number>;
    next_at: Date;
    useful_until: Date;
    last_error: Generated<string | null>;
    created_at: Date;
    done_at: Generated<Date | null>;
    /** Null for mails from before there were lanes. */
    lane: string | null;
    asked_by: string | null;
  };
}
