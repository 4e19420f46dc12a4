import type { ErasureObstacle } from "@farline/contract/constants.ts";
import type { ExportState } from "@farline/contract/personal-data/export.ts";
import type { Generated } from "kysely";

/** Kysely types of this subject's tables. */
export interface PersonalDataTables {
  data_export: {
    id: string;
    customer_id: string;
    state: Generated<ExportState>;
    failure: "too_large" | "broken" | null;
    tries: Generated<number>;
    next_try_at: Date | null;
    bytes: bigint | null;
    requested_at: Date;
    ready_at: Date | null;
    expires_at: Date | null;
  };
  account_erasure: {
    customer_id: string;
    requested_at: Date;
    operator: string | null;
    given_up_micros: Generated<bigint>;
    next_try_at: Date | null;
    blocked_by: ErasureObstacle | null;
    begun_at: Date | null;
    erased_at: Date | null;
  };
  data_export_part: { export_id: string; try: number; position: number; content: Buffer };
}
