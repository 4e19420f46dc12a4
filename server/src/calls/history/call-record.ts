import { isUuid } from "@farline/domain/uuid.ts";
import { AppError } from "../../platform/app-error.ts";
import { findCallById } from "../record/call.store.ts";
import type { CallRow } from "../record/calls.tables.ts";
import type { Context } from "../../context.ts";

/** A call as operators see it. */
export interface CallRecord {
  readonly call: CallRow;
  /** Charge minus carrier cost; null during the call, or if the cost is unknown. */
  readonly marginMicros: bigint | null;
}

/** @throws AppError not_found, also for malformed ids */
export async function readCallRecord({ handle }: Context, id: string): Promise<CallRecord> {
  const call = isUuid(id) ? await findCallById(handle.db, id) : undefined;
  if (call === undefined) throw new AppError("not_found", { reason: "operator.no_call", params: { call: id } });
  const cost = call.carrier_cost_micros;
  return { call, marginMicros: call.ended_at === null || cost === null ? null : call.charge_micros - cost };
}
