import type { Generated } from "kysely";

/** Tables of this subject, as Kysely sees them. */
export interface AccountTables {
  customer: CustomerTable;
  session: SessionTable;
}

export interface CustomerTable {
  id: string;
  name: string;
  email: string;
  /** The address in lower case. */
  email_key: string;
  /** argon2id, PHC form. */
  password_hash: string | null;
  email_verified: Generated<boolean>;
  status: Generated<"active" | "frozen">;
  created_at: Date;
}

export interface SessionTable {
  id: string;
  customer_id: string;
  /** SHA-256 of the token. */
  token_hash: Buffer;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
}
