import type { Generated } from "kysely";

/** Kysely types of the Google sign-in tables. */
export interface GoogleTables {
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
