import type { AutoTopUpStop } from "@farline/contract/auto-top-up.ts";
import type { Generated } from "kysely";

/** Kysely types of the saved-card and automatic top-up tables. */
export interface AutoTopUpTables {
  stripe_customer: { customer_id: string; provider_customer_id: string; created_at: Date };
  saved_card: {
    id: string;
    customer_id: string;
    payment_method_id: string;
    brand: string;
    last4: string;
    exp_month: number;
    exp_year: number;
    fingerprint: string | null;
    authenticated: Generated<boolean>;
    created_at: Date;
    removed_at: Date | null;
    detached_at: Date | null;
  };
  card_setup: {
    id: string;
    customer_id: string;
    status: Generated<CardSetupStatus>;
    session_id: string | null;
    card_id: string | null;
    next_check_at: Date | null;
    last_check_at: Date | null;
    created_at: Date;
    expires_at: Date;
  };
  auto_top_up: {
    customer_id: string;
    is_on: boolean;
    card_id: string | null;
    threshold_micros: bigint;
    amount_micros: bigint;
    agreed_at: Date;
    failures: Generated<number>;
    stopped_reason: AutoTopUpStop | null;
    updated_at: Date;
  };
}

export type CardSetupStatus = "created" | "open" | "saved" | "expired";
