import type { ColumnType, Selectable } from "kysely";

interface ApprovalTable {
  id: string;
  action: string;
  /** Null if it concerns no customer and moves no money. */
  customer_id: string | null;
  subject: string | null;
  amount_micros: bigint | null;
  detail: ColumnType<Record<string, unknown>, string, never>;
  reason: string;
  proposed_by: string;
  proposed_at: Date;
  expires_at: Date;
  state: ColumnType<"open" | "confirmed" | "rejected", never, "confirmed" | "rejected">;
  decided_by: ColumnType<string | null, never, string>;
  decided_at: ColumnType<Date | null, never, Date>;
}

/** Kysely types of the operators' tables. */
export interface OperatorTables {
  operation: {
    id: string;
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

/** A proposed operation that needs, or needed, a second operator. */
export type Approval = Selectable<ApprovalTable>;
