import type { DifferenceKind, PaymentStatus } from "@farline/contract/operator/constants.ts";
import type { MonthBooks, ProviderMonth } from "@farline/contract/operator/month.ts";
import type { ColumnType, Generated, GeneratedAlways } from "kysely";
import type { ReceiptKind } from "@farline/contract/billing-documents.ts";
import type { AutoTopUpStop } from "@farline/contract/auto-top-up.ts";
import type { Seller } from "../../platform/settings/seller.ts";

/** Kysely types of the billing tables. */
export interface BillingTables
  extends RefundTables, DisputeTables, ReconciliationTables, MonthTables, DocumentTables, AutoTopUpTables {
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
    kind: "package" | "custom" | "auto";
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
    disputed_micros: Generated<bigint>;
    bonus_returned_micros: Generated<bigint>;
    /** The part that is neither refunded nor disputed. */
    stayed_micros: GeneratedAlways<bigint>;
    three_d_secure: Generated<"automatic" | "any" | "challenge">;
    /** In the smallest unit of its currency. */
    presented_amount: Generated<bigint | null>;
    presented_currency: Generated<string | null>;
    /** The card's brand, or the payment method if no card was used. */
    card_brand: string | null;
    card_last4: string | null;
    card_fingerprint: string | null;
    authenticated: Generated<boolean>;
    /** The saved card charged without a checkout. */
    saved_card_id: string | null;
    /** Whether to save the checkout's card. */
    keeps_card: Generated<boolean>;
    failure_code: string | null;
    return_failed: Generated<boolean>;
    next_check_at: Date | null;
    last_check_at: Date | null;
    expires_at: Date;
    created_at: Date;
    settled_at: Date | null;
    receipt_id: Generated<string | null>;
  };
  credit_request: {
    id: string;
    customer_id: string;
    created_at: Date;
    expires_at: Date;
    amount_micros: Generated<bigint | null>;
    note: Generated<string>;
    country_code: Generated<string | null>;
    replaces: Generated<string | null>;
  };
  credit_gift: {
    id: string;
    payment_id: string;
    payer_id: string;
    beneficiary_id: string;
    amount_micros: bigint;
    greeting: string;
    /** `held`: the payment arrived, and the credit waits until it is safe. `kept`: it stayed with the payer. */
    state: "ordered" | "held" | "given" | "kept";
    created_at: Date;
    decided_at: Generated<Date | null>;
    /** When held credit is given. */
    due_at: Generated<Date | null>;
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

interface RefundTables {
  withdrawal: {
    id: string;
    customer_id: string;
    amount_micros: bigint;
    request_key: string | null;
    created_at: Date;
  };
  refund: {
    id: string;
    payment_id: string;
    customer_id: string;
    withdrawal_id: string | null;
    origin: RefundOrigin;
    amount_micros: bigint;
    bonus_micros: Generated<bigint>;
    status: RefundStatus;
    provider_refund_id: string | null;
    failure: string | null;
    /** What it waits for, as the provider writes it. */
    pending_reason: Generated<string | null>;
    next_try_at: Date | null;
    tries: Generated<number>;
    created_at: Date;
    settled_at: Date | null;
    receipt_id: Generated<string | null>;
    return_receipt_id: Generated<string | null>;
  };
}

/** Who requested a refund. `provider`: made directly at the provider. `outside`: an operator paid it outside the provider. */
export type RefundOrigin = "withdrawal" | "operator" | "outside" | "fraud_warning" | "provider";
/** The status only moves forward, in this order. */
export type RefundStatus = "ordered" | "pending" | "succeeded" | "failed";

interface DisputeTables {
  dispute: {
    id: string;
    payment_id: string;
    amount_micros: bigint;
    reason: string;
    status: string;
    booked_micros: Generated<bigint>;
    bonus_micros: Generated<bigint>;
    step: Generated<number>;
    /** Until when the bank waits for evidence. */
    due_at: Generated<Date>;
    /** What an operator did about it at the provider. */
    handled: Generated<"answered" | "accepted" | null>;
    handled_by: Generated<string | null>;
    handled_at: Generated<Date | null>;
    created_at: Date;
    updated_at: Date;
  };
  fraud_warning: {
    id: string;
    payment_id: string;
    fraud_type: string;
    decision: "refunded" | "review" | "none";
    created_at: Date;
  };
  payment_failure: {
    id: string;
    payment_id: string;
    customer_id: string;
    card_fingerprint: string | null;
    code: string;
    failed_at: Date;
  };
}

interface ReconciliationTables {
  reconciliation_run: {
    id: string;
    from_time: Date;
    to_time: Date;
    started_at: Date;
    finished_at: Date | null;
    charges: number | null;
    provider_micros: bigint | null;
    ledger_micros: bigint | null;
    repaired: number | null;
    differences: number | null;
  };
  /** What a run compares; deleted at its end. */
  reconciliation_payment: {
    run_id: string;
    payment_id: string;
    payment_intent_id: string | null;
  };
  reconciliation_difference: {
    id: string;
    run_id: string;
    kind: DifferenceKind;
    payment_id: string | null;
    reference: string | null;
    provider_micros: bigint | null;
    ledger_micros: bigint | null;
    detail: string;
    /** When a run first found it; null in old rows. */
    found_at: Date | null;
  };
}

interface MonthTables {
  /** Never changed. */
  closed_month: {
    month: string;
    closed_at: Date;
    operator_id: string;
    operator: string;
    reason: string;
    closing_micros: bigint;
    bonus_micros: bigint;
    books: ColumnType<MonthBooks, string, never>;
    provider: ColumnType<ProviderMonth, string, never>;
  };
}

/** Kysely types of the document tables. */
interface DocumentTables {
  receipt_counter: { year: number; series: Generated<number>; last_number: number };
  receipt_to_mark: { receipt_id: string };
  recovered_receipt: { subject_id: string; year: number; sequence: number; issued_at: Date };
  receipt: {
    id: string;
    year: number;
    sequence: number;
    number: GeneratedAlways<string>;
    customer_id: string;
    kind: ReceiptKind;
    payment_id: string;
    refund_id: string | null;
    corrects_id: string | null;
    amount_micros: bigint;
    bonus_micros: bigint;
    card_brand: string | null;
    card_last4: string | null;
    buyer_name: string;
    buyer_email: string;
    /** JSON text on insert. */
    seller: ColumnType<Seller, string, never>;
    sample: boolean;
    paid_at: Date;
    issued_at: Date;
    tax_micros: bigint | null;
    books_month: string | null;
  };
}

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
