import type { RefundReason, RefundRequest, SoundRating } from "@farline/contract/call-details.ts";
import type { ColumnType, Selectable } from "kysely";

interface CallQualityTable {
  call_id: string;
  second: number;
  mos: number;
  rtt_ms: number | null;
  jitter_ms: number;
  loss_pct: number;
}

interface CallRatingTable {
  call_id: string;
  sound: SoundRating;
  rated_at: Date;
}

interface CallRefundRequestTable {
  call_id: ColumnType<string, string, never>;
  customer_id: ColumnType<string, string, never>;
  reason: ColumnType<RefundReason, RefundReason, never>;
  note: ColumnType<string, string, never>;
  evidence: ColumnType<Record<string, unknown>, string, never>;
  state: ColumnType<RefundRequest["state"], never, RefundRequest["state"]>;
  amount_micros: ColumnType<bigint, never, bigint>;
  decided_by: ColumnType<string | null, never, string>;
  answer: ColumnType<string | null, never, string | null>;
  created_at: ColumnType<Date, Date, never>;
  decided_at: ColumnType<Date | null, never, Date>;
}

export interface CallDetailsTables {
  call_quality: CallQualityTable;
  call_rating: CallRatingTable;
  call_refund_request: CallRefundRequestTable;
}

export type RefundRequestRow = Selectable<CallRefundRequestTable>;
