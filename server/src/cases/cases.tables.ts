import type { SupportCase } from "@farline/contract/cases/cases.ts";
import type { GeneratedAlways } from "kysely";

/** Kysely types of this subject's tables. */
export interface CaseTables {
  support_case: {
    id: string;
    number: GeneratedAlways<bigint>;
    customer_id: string;
    topic: SupportCase["topic"];
    message: string;
    call_id: string | null;
    payment_id: string | null;
    state: SupportCase["state"];
    answer: string | null;
    request_key: string | null;
    created_at: Date;
    answered_at: Date | null;
    closed_at: Date | null;
  };
}
