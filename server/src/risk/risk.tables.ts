import type { ColumnType, Selectable } from "kysely";

interface BreakerTable {
  id: string;
  kind: "carrier_spend" | "spend_note" | "prefix" | "country";
  subject: string;
  inputs: ColumnType<Record<string, string | number>, string, never>;
  opened_at: Date;
  until: Date;
  lifted_at: ColumnType<Date | null, never, Date>;
}

/** Tables of this subject, as Kysely sees them. */
export interface RiskTables {
  breaker: BreakerTable;
  /** What calls that read a code cost at most, by UTC day. */
  code_call_cost: { day: ColumnType<Date, string, never>; micros: bigint };
}

export type Breaker = Selectable<BreakerTable>;
