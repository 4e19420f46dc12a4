import type { DestinationQuality } from "@farline/contract/quality.ts";
import type { ColumnType } from "kysely";

interface QualityReportTable {
  /** "2026-11-25" */
  last_day: ColumnType<string, string, never>;
  made_at: ColumnType<Date, Date, never>;
  destinations: ColumnType<DestinationQuality[], string, never>;
}

export interface QualityReportTables {
  quality_report: QualityReportTable;
}
