import { guardRailColumns } from "@farline/domain/calls/guard-rails.ts";
import { detailNames } from "@farline/domain/contacts/contact-details.ts";
import { KINDS_WITH_SUBJECT } from "../accounts/accounts.ts";
import { PERSONAL_CALL_COLUMNS } from "../calls/calls.ts";
import type { KeptGroup } from "@farline/contract/constants.ts";

/** How the export and the erasure of an account treat a table's rows. */
export interface PersonalTable {
  /** Condition that selects the customer's rows; `$1` is the customer's id. */
  readonly rows: string;
  /** Columns in the customer's copy. */
  readonly exported: readonly string[];
  /** Values in the copy that are not the column's own, as expressions. */
  readonly shown?: Readonly<Record<string, string>>;
  /** Columns left out: secrets, providers' ids, and fraud detection. */
  readonly withheld: readonly string[];
  readonly erasure: Erasure;
}

/** `keep`: the rows stay, and `clears` gives the new value of each identifying column. */
export type Erasure =
  | { readonly how: "delete" }
  | { readonly how: "keep"; readonly group: KeptGroup; readonly clears: Readonly<Record<string, string>> };

const OWN = "customer_id = $1";
const OF_CALLS = "call_id in (select id from call where customer_id = $1)";
const OF_PAYMENTS = "payment_id in (select id from payment where customer_id = $1)";
const BY_ADDRESS = "email_key = (select email_key from customer where id = $1)";

const words = (text: string): string[] => (text === "" ? [] : text.split(" "));

/** Deleted on erasure. */
function gone(exported: string, withheld: string, rows = OWN): PersonalTable {
  return { rows, exported: words(exported), withheld: words(withheld), erasure: { how: "delete" } };
}

/** Kept on erasure, without the columns in `clears`. */
function kept(
  group: KeptGroup,
  clears: Readonly<Record<string, string>>,
  [exported, withheld]: readonly [exported: string, withheld: string],
  rows = OWN,
): PersonalTable {
  return { rows, exported: words(exported), withheld: words(withheld), erasure: { how: "keep", group, clears } };
}

/** Tables of the account and its sign-in methods. */
const ACCOUNT: Readonly<Record<string, PersonalTable>> = {
  customer: kept(
    "erased_account",
    {
      name: "'Erased'",
      email: "'erased-' || id || '@erased.invalid'",
      email_key: "'erased-' || id || '@erased.invalid'",
      email_verified: "false",
      password_hash: "null",
      password_key: "null",
      password_reset_at: "null",
      language: "'en'",
    },
    [
      "id name email email_verified password_reset_at language status frozen_because closes_at created_at",
      "email_key password_hash password_key is_guest",
    ],
    "id = $1",
  ),
  account_erasure: kept("erased_account", {}, [
    "requested_at begun_at erased_at",
    "customer_id operator given_up_micros next_try_at blocked_by",
  ]),
  session: gone("id device network created_at authenticated_at last_seen_at expires_at", "customer_id token_hash browser_hash"),
  ended_session: gone("reason ended_at", "customer_id token_hash session_id ends_calls"),
  known_browser: gone("last_used_at", "customer_id browser_hash"),
  email_change: gone("id new_email needs_old new_confirmed_at old_confirmed_at done_at created_at expires_at", "customer_id"),
  mail_link: gone("use email_key created_at expires_at used_at", "id customer_id email_change_id session_id code_tries"),
  authenticator: gone("created_at confirmed_at", "customer_id secret secret_key last_step"),
  recovery_code: gone("created_at used_at", "customer_id code_hash"),
  passkey: gone("id name transports synced created_at last_used_at", "customer_id credential_id public_key sign_count"),
  passkey_challenge: gone("", "challenge_hash customer_id expires_at"),
  freeze_review: gone("opened_at", "customer_id reason"),
  sign_in_challenge: gone("", "challenge_hash customer_id tries created_at expires_at"),
  security_event: {
    ...gone("id kind detail device network happened_at", "customer_id"),
    shown: { detail: `case when kind in ('${[...KINDS_WITH_SUBJECT].join("', '")}') then detail end` },
  },
  identity: gone("issuer subject email linked_at", "customer_id"),
  google_flow: gone(
    "",
    "id browser_hash purpose customer_id state nonce verifier created_at expires_at used_at code_hash answer failed",
  ),
  download_ticket: gone("", "hash customer_id subject facts expires_at session_id"),
  failed_sign_in: gone("device network happened_at", "id email_key", BY_ADDRESS),
  password_reset_request: gone("requested_at", "id email_key browser_hash", BY_ADDRESS),
  data_export: gone("state requested_at ready_at expires_at", "id customer_id failure tries next_try_at bytes"),
  mail: gone(
    "template language state created_at done_at",
    "id key recipient data attempts next_at useful_until last_error lane asked_by",
    "lower(recipient) = (select email_key from customer where id = $1)",
  ),
  support_case: gone(
    "id number topic message call_id payment_id state answer created_at answered_at closed_at",
    "customer_id request_key",
  ),
  newsletter_subscription: gone("email language state asked_at confirmed_at ended_at", "id email_key", BY_ADDRESS),
};

/** Tables of contacts and calls. */
const CALLS: Readonly<Record<string, PersonalTable>> = {
  contact: gone(
    `id first_name last_name ${detailNames.join(" ")} email notes favorite time_zone created_at updated_at`,
    "customer_id sort_key search_text",
  ),
  contact_number: gone("contact_id position phone_number extension phone_number_type country_code", "customer_id"),
  // `shorten_calls` shortens its destination and events.
  call: {
    rows: OWN,
    exported: PERSONAL_CALL_COLUMNS.copied,
    withheld: PERSONAL_CALL_COLUMNS.withheld,
    erasure: { how: "keep", group: "calls", clears: PERSONAL_CALL_COLUMNS.cleared },
  },
  call_event: kept("calls", { payload: "'{}'" }, ["call_id source kind leg occurred_at", "id received_at payload"], OF_CALLS),
  call_quality: gone("call_id second mos rtt_ms jitter_ms loss_pct", "", OF_CALLS),
  call_rating: gone("call_id sound rated_at", "", OF_CALLS),
  call_refund_request: kept("calls", { note: "''", evidence: "'{}'" }, [
    "call_id reason note state amount_micros answer created_at decided_at",
    "customer_id evidence decided_by",
  ]),
  voice_credential: gone("created_at expires_at", "provider_id customer_id sip_username session_id removal_due_at removal_tries"),
  echo_test: gone("created_at", "id customer_id ticket_hash expires_at call_control_id"),
  guard_rail: gone([...guardRailColumns, "time_zone", "updated_at"].join(" "), "customer_id"),
  customer_term: gone("name value until set_at", "customer_id set_by reason"),
  // With its owner the family ends, so the rows of its members go too.
  family_member: gone(
    "owner_pays shows_numbers daily_cap_micros monthly_cap_micros countries time_zone joined_at",
    "customer_id owner_id",
  ),
  family_invitation: gone(
    "email daily_cap_micros monthly_cap_micros countries time_zone created_at expires_at",
    "customer_id id",
  ),
  call_block: gone("rule created_at blocked_until", "id customer_id inputs"),
  caller_number: gone("number chosen proven_at lapsed_at", "customer_id proof"),
  caller_number_check: gone("number created_at expires_at", "id customer_id tries"),
};

/** Tables of money. `shorten_calls` shortens the ledger's descriptions of calls. */
const MONEY: Readonly<Record<string, PersonalTable>> = {
  account: kept("ledger", {}, [
    "balance_micros held_micros debt_micros bonus_micros created_at",
    "customer_id entry_count newest_entry_at",
  ]),
  ledger_mark: kept("ledger", {}, ["", "customer_id sequence net_micros bonus_micros"]),
  // A family member's call is the member's: the owner's copy does not name it.
  hold: {
    ...kept("ledger", {}, [
      "id wanted_micros amount_micros state posted_micros created_at resolved_at",
      "customer_id caller_id least_micros",
    ]),
    shown: { id: "case when caller_id is null then id end" },
  },
  ledger_transaction: {
    ...kept("ledger", {}, [
      "id kind reference_id restores_id description shortfall_micros created_at",
      "idempotency_key customer_id caller_id",
    ]),
    shown: { reference_id: "case when caller_id is null then reference_id end" },
  },
  ledger_entry: kept("ledger", {}, [
    "transaction_id kind amount_micros sequence balance_after_micros bonus_micros",
    "customer_id system_account",
  ]),
  test_credit_grant: kept("ledger", {}, ["id amount_micros created_at", "customer_id"]),
  payment: kept("payments", { request_key: "null", checkout_url: "null" }, [
    "id kind package_id charge_micros bonus_micros bonus_returned_micros currency status payment_intent_id saved_card_id " +
      "keeps_card card_brand card_last4 failure_code refunded_micros disputed_micros expires_at created_at settled_at receipt_id " +
      "presented_amount presented_currency",
    "customer_id request_key session_id checkout_url three_d_secure card_fingerprint authenticated stayed_micros return_failed next_check_at " +
      "last_check_at",
  ]),
  payment_failure: gone("payment_id code failed_at", "id customer_id card_fingerprint"),
  reminder: gone("contact_id time_zone country_code local_time weekly next_at created_at", "id customer_id"),
  credit_request: gone("created_at expires_at amount_micros note country_code", "id customer_id replaces"),
  credit_gift: kept(
    "payments",
    { greeting: "''" },
    ["amount_micros greeting state created_at decided_at due_at", "id payment_id payer_id beneficiary_id"],
    "payer_id = $1 or beneficiary_id = $1",
  ),
  withdrawal: kept("payments", { request_key: "null" }, ["id amount_micros created_at", "customer_id request_key"]),
  refund: kept("payments", {}, [
    "id payment_id withdrawal_id origin amount_micros bonus_micros status failure created_at settled_at receipt_id " +
      "return_receipt_id",
    "customer_id provider_refund_id pending_reason next_try_at tries",
  ]),
  dispute: kept(
    "payments",
    {},
    [
      "id payment_id amount_micros reason status due_at created_at updated_at",
      "booked_micros bonus_micros step handled handled_by handled_at",
    ],
    OF_PAYMENTS,
  ),
  fraud_warning: kept("payments", {}, ["", "id payment_id fraud_type decision created_at"], OF_PAYMENTS),
  receipt: kept("payments", { buyer_name: "''", buyer_email: "''" }, [
    "id number kind payment_id refund_id corrects_id amount_micros bonus_micros card_brand card_last4 buyer_name buyer_email " +
      "seller sample paid_at issued_at tax_micros books_month",
    "year sequence customer_id",
  ]),
  // The provider's customer and its cards are deleted before these rows change.
  stripe_customer: gone("created_at", "customer_id provider_customer_id"),
  saved_card: kept(
    "payments",
    {
      payment_method_id: "'erased-' || id",
      brand: "'erased'",
      last4: "'0000'",
      exp_month: "1",
      exp_year: "2000",
      fingerprint: "null",
      removed_at: "coalesce(removed_at, now())",
      detached_at: "coalesce(detached_at, now())",
    },
    [
      "id brand last4 exp_month exp_year created_at removed_at",
      "customer_id payment_method_id fingerprint authenticated detached_at",
    ],
  ),
  auto_top_up: gone("is_on card_id threshold_micros amount_micros agreed_at stopped_reason updated_at", "customer_id failures"),
  card_setup: gone("id status created_at expires_at", "customer_id session_id card_id next_check_at last_check_at"),
};

/** Tables of free credit and of operators' actions. */
const REST: Readonly<Record<string, PersonalTable>> = {
  promo_use: kept("bonuses", {}, [
    "payment_id campaign_id bonus_micros state created_at settled_at",
    "customer_id card_fingerprint",
  ]),
  referral_code: gone("code created_at", "customer_id"),
  referral: kept(
    "bonuses",
    {},
    [
      "state refusal payment_id paid_at invited_bonus_micros created_at decided_at",
      "invited_id inviter_id paid_micros card_shared taken_for inviter_bonus_micros next_look_at",
    ],
    "invited_id = $1",
  ),
  first_call: kept("bonuses", {}, ["state refusal bonus_micros created_at decided_at", "customer_id next_look_at"]),
  // Keyed hashes, so that a returning person gets no free credit twice. Networks are deleted after 60 days, the others after three years.
  person_mark: kept("bonuses", {}, ["", "customer_id kind mark seen_at"]),
  free_credit: kept("bonuses", {}, ["kind amount_micros given_at", "key customer_id"]),
  // Phone numbers in its subject are removed with the account's numbers.
  operation: kept("operations", {}, ["action happened_at", "id operator_id operator customer_id subject reason detail"]),
  approval: kept("operations", {}, [
    "",
    "id action customer_id subject amount_micros detail input reason proposed_by proposed_at expires_at state decided_by decided_at",
  ]),
};

/** Every table with customers' rows. Erased from last to first, so that referencing rows are deleted first. */
export const PERSONAL_TABLES: Readonly<Record<string, PersonalTable>> = { ...ACCOUNT, ...CALLS, ...MONEY, ...REST };

/** The groups of data kept after an erasure, in the order of the page that lists them. */
export function keptGroups(): KeptGroup[] {
  const groups = Object.values(PERSONAL_TABLES).flatMap(({ erasure }) => (erasure.how === "keep" ? [erasure.group] : []));
  return [...new Set(groups)];
}
