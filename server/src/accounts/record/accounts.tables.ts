import type { ActivityKind } from "@farline/contract/account-activity.ts";
import type { SessionEnd } from "@farline/contract/errors.ts";
import type { FreezeReason } from "@farline/contract/constants.ts";
import type { Language } from "@farline/contract/languages.ts";
import type { Generated } from "kysely";
import type { IdentityKind } from "../identity-hashes/identity-hashes.ts";

/** Kysely types of the account tables. */
export interface AccountTables extends GoogleTables, SecondFactorTables {
  customer: CustomerTable;
  session: SessionTable;
  ended_session: {
    token_hash: Buffer;
    customer_id: string;
    reason: SessionEnd;
    ended_at: Date;
    session_id: string | null;
    ends_calls: boolean | null;
  };
  known_browser: { customer_id: string; browser_hash: Buffer; last_used_at: Date };
  person_mark: { customer_id: string; kind: IdentityKind; mark: Buffer; seen_at: Date };
  sign_in_guard: {
    account_key: string;
    tries: number;
    first_try_at: Date;
    last_try_at: Date;
    locked_until: Date | null;
  };
  email_change: EmailChangeTable;
  mail_link: MailLinkTable;
  /** `browser_hash`: of the browser that asked, if it had our cookie. */
  password_reset_request: { id: string; email_key: string; requested_at: Date; browser_hash: Buffer | null };
  failed_sign_in: { id: string; email_key: string; device: string; network: string; happened_at: Date };
  spent_challenge: { challenge_hash: Buffer; expires_at: Date };
  /** Accounts that the service froze, until an operator has decided. */
  freeze_review: { customer_id: string; reason: string; opened_at: Date };
  sign_in_minute: { minute: Date; tries: number; failures: number };
}

interface CustomerTable {
  id: string;
  name: string;
  email: string;
  /** Lower-case address. */
  email_key: string;
  /** argon2id, PHC form. */
  password_hash: string | null;
  /** Id of the secret (pepper) mixed into the password. */
  password_key: string | null;
  email_verified: Generated<boolean>;
  status: Generated<"active" | "frozen">;
  /** Valid only while frozen. */
  frozen_because: FreezeReason | null;
  language: Generated<Language>;
  password_reset_at: Date | null;
  /** When the account is erased at the earliest. */
  closes_at: Date | null;
  created_at: Date;
  /** Paid for somebody else without an account. */
  is_guest: Generated<boolean>;
}

export interface SessionTable {
  id: string;
  customer_id: string;
  /** SHA-256 of the token. */
  token_hash: Buffer;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
  authenticated_at: Date;
  device: Generated<string>;
  network: Generated<string>;
  browser_hash: Buffer | null;
}

interface EmailChangeTable {
  id: string;
  customer_id: string;
  new_email: string;
  needs_old: boolean;
  new_confirmed_at: Date | null;
  old_confirmed_at: Date | null;
  done_at: Date | null;
  created_at: Date;
  expires_at: Date;
}

interface MailLinkTable {
  id: string;
  customer_id: string;
  use: CustomerLinkUse;
  email_key: string;
  email_change_id: string | null;
  created_at: Date;
  expires_at: Date;
  used_at: Date | null;
  session_id: string | null;
  code_tries: Generated<number>;
}

export type CustomerLinkUse = "verify_email" | "reset_password" | "change_email_new" | "change_email_old" | "export_ready";

/** Kysely types of the Google sign-in tables. */
interface GoogleTables {
  identity: { issuer: string; subject: string; customer_id: string; email: string; linked_at: Date };
  google_flow: {
    id: string;
    /** SHA-256 of the flow cookie. */
    browser_hash: Buffer;
    purpose: FlowPurpose;
    customer_id: string | null;
    state: string;
    nonce: string;
    verifier: string;
    created_at: Date;
    expires_at: Date;
    used_at: Date | null;
    code_hash: Buffer | null;
    answer: Buffer | null;
    failed: Generated<boolean>;
  };
}

/** `sign_in`: a visitor signs in. `link`: a customer links Google to their account. */
export type FlowPurpose = "sign_in" | "link";

/** Kysely types of authenticators, recovery codes, passkeys and security events. */
export interface SecondFactorTables {
  authenticator: {
    customer_id: string;
    secret: Buffer;
    secret_key: string;
    created_at: Date;
    confirmed_at: Date | null;
    last_step: Generated<bigint>;
  };
  recovery_code: { customer_id: string; code_hash: Buffer; created_at: Date; used_at: Date | null };
  passkey: {
    id: string;
    customer_id: string;
    credential_id: Buffer;
    public_key: Buffer;
    sign_count: bigint;
    transports: string[];
    name: string;
    synced: boolean;
    created_at: Date;
    last_used_at: Date | null;
  };
  passkey_challenge: { challenge_hash: Buffer; customer_id: string | null; expires_at: Date };
  sign_in_challenge: {
    challenge_hash: Buffer;
    customer_id: string;
    tries: Generated<number>;
    created_at: Date;
    expires_at: Date;
  };
  security_event: {
    id: string;
    customer_id: string;
    kind: ActivityKind;
    detail: string | null;
    device: string | null;
    network: string | null;
    happened_at: Date;
  };
}
