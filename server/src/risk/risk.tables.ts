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

/** Kysely types of the risk tables. */
export interface RiskTables {
  breaker: BreakerTable;
  /** Upper bound of the code calls' cost by UTC day. */
  code_call_cost: { day: ColumnType<Date, string, never>; micros: bigint };
}

export type Breaker = Selectable<BreakerTable>;
