import type { Generated } from "kysely";
import type { SecurityEventKind } from "./security-event.store.ts";

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
    kind: SecurityEventKind;
    detail: string | null;
    device: string | null;
    network: string | null;
    happened_at: Date;
  };
}
