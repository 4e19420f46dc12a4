import { chargeFor, type BillingRate } from "@farline/domain/calls/charge.ts";
import { fromDecimalString, toDecimalString } from "@farline/domain/money.ts";
import type { Call } from "@farline/contract/calls.ts";
import { isFinal } from "../../../phone/call/call-service.ts";
import type { PhoneCall, PhoneState, PhoneStatus } from "../../../phone/phone-state.ts";

/** Below this much credit the call view says so and offers a top-up. */
const LOW_CREDIT_SECONDS = 120;

type LineDrawing = "idle" | "ringing" | "live" | "hold" | "broken" | "ended" | "failed";
export type SoundTrouble = "waiting" | "gone" | "muted" | "paused" | "noSpeaker" | "nothingHeard";
type StatusWord = "initializing" | "connecting" | "ringing" | "active" | "ended" | "held" | "reconnecting";

/** Text key of the call's current state. */
export function statusWord(call: PhoneCall, status: Exclude<PhoneStatus, "idle">): StatusWord {
  if (status === "initializing" && call.callId !== null) return "connecting";
  if (status === "active" && call.reconnecting) return "reconnecting";
  if (status === "active" && call.held) return "held";
  return status;
}

/** How the line between the two parties is drawn. */
export function lineDrawing(call: PhoneCall, status: Exclude<PhoneStatus, "idle">): LineDrawing {
  if (status === "ended") return call.endReason === "hangup" || call.endReason === "cancelled" ? "ended" : "failed";
  if (status === "active") return call.reconnecting ? "broken" : call.held ? "hold" : "live";
  return status === "ringing" ? "ringing" : "idle";
}

export interface CallCost {
  /** Dollars as a decimal string. */
  cost: string;
  /** True for the service's charge, false for a local estimate. */
  final: boolean;
}

/** Whole seconds of the call: the service's count once it is final, our own before. */
export function callSeconds({ record, elapsedSeconds }: PhoneCall): number {
  return record !== null && isFinal(record) ? record.duration_seconds : elapsedSeconds;
}

/** The cost of the call so far, by the service's charging rule. */
export function costSoFar({ record, elapsedSeconds }: Pick<PhoneCall, "record" | "elapsedSeconds">): CallCost {
  if (record === null) return { cost: "0.00", final: false };
  if (isFinal(record)) return { cost: record.cost, final: true };
  return { cost: toDecimalString(chargeFor(elapsedSeconds, billingRate(record))), final: false };
}

export interface CreditLeft {
  secondsLeft: number;
  /** Percentage of the maximum duration, 0 to 100. */
  percent: number;
  low: boolean;
}

/** How long the held credit still lasts; null before the service has allowed the call. */
export function creditLeft({ record, secondsLeft }: PhoneCall): CreditLeft | null {
  if (record === null || record.max_seconds <= 0) return null;
  const seconds = secondsLeft ?? record.max_seconds;
  return {
    secondsLeft: seconds,
    percent: Math.round((100 * seconds) / record.max_seconds),
    low: secondsLeft !== null && seconds < LOW_CREDIT_SECONDS,
  };
}

/** The balance if the call ended now. Dollars as decimal strings; never below zero. */
export function balanceAfter(balance: string, cost: CallCost): string {
  if (cost.final) return balance;
  const left = fromDecimalString(balance) - fromDecimalString(cost.cost);
  return toDecimalString(left > 0n ? left : 0n);
}

function billingRate(record: Call): BillingRate {
  return {
    ratePerMinuteMicros: fromDecimalString(record.rate_per_minute),
    firstIntervalSeconds: record.first_interval_s,
    nextIntervalSeconds: record.next_interval_s,
  };
}

/** Why one side of an open call cannot hear the other, the most important reason; null if nothing is known to prevent it. */
export function soundTrouble({ call, status, soundPaused, devices }: PhoneState): SoundTrouble | null {
  if (call === null || status === "idle" || status === "ended") return null;
  if (call.microphone !== "open") return call.microphone;
  if (soundPaused) return "paused";
  if (!devices.hasSpeaker) return "noSpeaker";
  const isTalking = status === "active" && !call.held && !call.reconnecting;
  return isTalking && call.nothingHeard ? "nothingHeard" : null;
}
