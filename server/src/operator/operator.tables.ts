import type { ColumnType } from "kysely";

/** Tables of this subject, as Kysely sees them. */
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
}
