import type { OperatorRole } from "@farline/contract/operator/rights.ts";
import type { ColumnType, Generated, Selectable } from "kysely";

interface OperatorTable {
  id: string;
  email: string;
  name: string;
  role: OperatorRole;
  created_at: ColumnType<Date, Date, never>;
  /** From when they count as a second person: a week after they were let in. The database refuses confirmations before. */
  trusted_from: Generated<Date>;
  /** A removed operator stays in the table, because the audit log names them. */
  removed_at: ColumnType<Date | null, never, Date>;
}

interface PasskeyTable {
  id: string;
  operator_id: string;
  credential_id: Buffer;
  public_key: Buffer;
  sign_count: bigint;
  transports: string[];
  created_at: Date;
  last_used_at: Date | null;
}

interface SessionTable {
  id: string;
  operator_id: string;
  token_hash: Buffer;
  kind: "console" | "command_line";
  device: string;
  network: string;
  created_at: Date;
  /** When the operator last proved who they are. */
  proved_at: Date;
  last_seen_at: Date;
  expires_at: Date;
}

type Decided = "confirmed" | "rejected" | "withdrawn";

interface ApprovalTable {
  id: string;
  action: string;
  /** Null if it concerns no customer and moves no money. */
  customer_id: string | null;
  subject: string | null;
  amount_micros: bigint | null;
  detail: ColumnType<Record<string, unknown>, string, never>;
  /** What its verb gets again when it is confirmed; null for proposals of earlier releases, which nobody can confirm. */
  input: ColumnType<Record<string, unknown> | null, string, never>;
  reason: string;
  proposed_by: string;
  proposed_at: Date;
  expires_at: Date;
  state: ColumnType<"open" | Decided, never, Decided>;
  decided_by: ColumnType<string | null, never, string>;
  decided_at: ColumnType<Date | null, never, Date>;
}

/** Kysely types of the operators' tables. */
export interface OperatorTables {
  operator: OperatorTable;
  operator_invitation: {
    operator_id: string;
    /** Null until the proposer fetches the link. */
    token_hash: Buffer | null;
    expires_at: Date;
    /** Who alone may fetch a link that two administrators agreed on; null for one that was shown at once. */
    proposed_by: string | null;
    /** Sealed secret of an authenticator that awaits its first code. */
    secret: Buffer | null;
    secret_key: string | null;
  };
  /** `subject`: kind and id of the case. */
  open_case: { operator_id: string; subject: string; since: Date; seen_at: Date };
  operator_password: {
    operator_id: string;
    password_hash: string;
    password_key: string | null;
    secret: Buffer;
    secret_key: string;
    /** The last authenticator step whose code was used. */
    last_step: bigint;
    created_at: Date;
  };
  operator_passkey: PasskeyTable;
  operator_passkey_challenge: { challenge_hash: Buffer; operator_id: string | null; expires_at: Date };
  operator_browser: { operator_id: string; browser_hash: Buffer; last_used_at: Date };
  operator_session: SessionTable;
  operator_command_line: { code_hash: Buffer; token_hash: Buffer; device: string; expires_at: Date };
  operation: {
    id: string;
    operator_id: string;
    /** The name that the operator had at the time. */
    operator: string;
    action: string;
    customer_id: string | null;
    subject: string | null;
    reason: string;
    detail: ColumnType<Record<string, unknown>, string, never>;
    happened_at: Date;
  };
  approval: ApprovalTable;
}

/** A person who runs the service. */
export type OperatorRow = Selectable<OperatorTable>;

export type OperatorPasskey = Selectable<PasskeyTable>;

/** A proposed operation that needs, or needed, a second operator. */
export type Approval = Selectable<ApprovalTable> & {
  readonly proposer: string;
  /** Their role now. */
  readonly proposer_role: OperatorRole;
};
