import type { Generated } from "kysely";

/** Tables of this subject, as Kysely sees them. */
export interface BillingTables {
  credit_package: {
    id: string;
    amount_micros: bigint;
    bonus_percentage: Generated<number>;
    is_popular: Generated<boolean>;
    on_sale: Generated<boolean>;
  };
  payment: {
    id: string;
    customer_id: string;
    kind: "package" | "custom";
    package_id: string | null;
    charge_micros: bigint;
    bonus_micros: Generated<bigint>;
    currency: Generated<string>;
    status: Generated<PaymentStatus>;
    request_key: string | null;
    session_id: string | null;
    checkout_url: string | null;
    payment_intent_id: string | null;
    refunded_micros: Generated<bigint>;
    refund_version: Generated<number>;
    next_check_at: Date | null;
    last_check_at: Date | null;
    expires_at: Date;
    created_at: Date;
    settled_at: Date | null;
  };
  stripe_event: {
    event_id: string;
    type: string;
    received_at: Date;
    done_at: Date | null;
  };
  test_credit_grant: {
    id: string;
    customer_id: string;
    amount_micros: bigint;
    created_at: Date;
  };
}

export type PaymentStatus = "created" | "open" | "paid" | "failed" | "expired" | "review";
