import type { RefundReason } from "@farline/contract/call-details.ts";
import type { EndReason } from "@farline/contract/calls.ts";

/** What was known about a call when its refund was asked for, kept with the request. */
export interface RefundEvidence {
  readonly endReason: EndReason | null;
  readonly durationMs: number;
  /** Decimal text: it is kept as JSON. */
  readonly chargeMicros: string;
  /** Voice packets that the exchange received from each side; null where it did not say. */
  readonly packetsFromCaller: number | null;
  readonly packetsFromCalled: number | null;
  /** As the browser heard it: how many samples, their mean and their worst; null without samples. */
  readonly heard: { readonly samples: number; readonly meanMos: number; readonly worstMos: number } | null;
  /** Refunds of this customer in the last days that the rule granted by itself. */
  readonly recentByRule: number;
}

/** The rule looks at small charges only; a person decides about the rest. */
const MOST_MICROS = 2_000_000n;
/** A customer with more bad calls than this in `RULE_SPAN_DAYS` is better helped by a person. */
const MOST_RECENT = 3;
export const RULE_SPAN_DAYS = 30;
/** A call that the network lost before this was no conversation. */
const NO_CONVERSATION_MS = 10_000;

const SILENT_REASONS: readonly RefundReason[] = ["no_audio", "one_way"];

/**
 * Whether the data proves by itself that the caller paid for nothing. It counts only what the caller cannot bring about: the
 * exchange received not one voice packet from the called side, or the network lost the call in its first seconds. What the
 * browser reports about itself proves nothing.
 */
export function provesRefund(reason: RefundReason, evidence: RefundEvidence): boolean {
  if (BigInt(evidence.chargeMicros) > MOST_MICROS || evidence.recentByRule >= MOST_RECENT) return false;
  const silent = evidence.packetsFromCalled === 0 && SILENT_REASONS.includes(reason);
  const lost = evidence.endReason === "connection_lost" && evidence.durationMs < NO_CONVERSATION_MS;
  return silent || lost;
}
