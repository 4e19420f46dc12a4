import { englishNameOf } from "@farline/domain/countries/countries.ts";
import type { SoundRating } from "../../call-details.ts";
import type { CallStatus, EndReason, HungUpBy } from "../../calls.ts";
import type { NumberType } from "../../rates.ts";
import type { AttemptOutcome, CallEventKind, DecisionBound, DecisionInput, EventDetail } from "../calls.ts";
import { dollarText } from "./money-words.ts";
import { type DetailWords, tierWords, wordFor, type WordsOf } from "./words.ts";

export const callStatusWords: WordsOf<CallStatus> = {
  initiated: "Starting",
  ringing: "Ringing",
  "in-progress": "Talking",
  completed: "Completed",
  failed: "Not connected",
};

export const endReasonWords: WordsOf<EndReason> = {
  hangup: "Hung up",
  credit_used_up: "Cut: the credit was used up",
  time_limit: "Cut: the longest call was reached",
  own_limit: "Cut: the customer's own limit was reached",
  busy: "Busy",
  no_answer: "No answer",
  rejected: "Declined by the called phone",
  cancelled: "The caller hung up before the answer",
  invalid_number: "Number not in service",
  network_failure: "The carrier could not connect it",
  never_connected: "The browser never reached us",
  sound_blocked: "No microphone sound arrived, so nobody was rung",
  connection_lost: "The connection was lost",
  refused: "Refused by our rules",
  signed_out: "The device was signed out",
};

export const hungUpByWords: WordsOf<HungUpBy> = { caller: "the caller", callee: "the called person" };

export const soundRatingWords: WordsOf<SoundRating> = { good: "Good", fair: "Fair", bad: "Bad" };

/** How a call stands or ended: "Busy", "Hung up by the caller". */
export function endWords(call: { status: CallStatus; end_reason: EndReason | null; hung_up_by: HungUpBy | null }): string {
  const { status, end_reason: reason, hung_up_by: by } = call;
  const how = reason === null ? callStatusWords[status] : wordFor(endReasonWords, reason);
  return by === null ? how : `${how} by ${hungUpByWords[by]}`;
}

export const boundWords: WordsOf<DecisionBound> = {
  credit: "The customer's credit",
  longest_call: "The longest call we allow",
  spend_limit: "The customer's spending limit for a day",
  call_cap: "The customer's own limit for a call",
  daily_cap: "The customer's own limit for a day",
  family_limit: "The limit that the family's owner has set",
};

export const decisionInputWords: WordsOf<DecisionInput> = {
  tier: "Trust",
  risk: "Risk of the destination",
  available: "Free credit",
  bonus: "Bonus credit",
  first_call_left: "Left of the free first call",
  live_calls: "Other live calls",
  calls_in_day: "Calls in 24 hours",
  same_number_in_hour: "Calls to this number in an hour",
  other_numbers_in_day: "Other numbers in 24 hours",
  other_countries_in_day: "Other countries in 24 hours",
  short_calls_in_hour: "Short calls in an hour",
  spent_in_day: "Spent in 24 hours",
  spend_limit_per_day: "Spending limit per day",
  own_call_cap: "Own limit per call",
  own_daily_cap: "Own limit per day",
};

/** Amounts are decimal text; trust and risk are codes. */
export function decisionInputText(name: string, value: string | number): string {
  if (name === "tier") return wordFor(tierWords, String(value));
  if (name === "risk") return wordFor(riskWords, String(value));
  return typeof value === "string" && /^\d+\.\d+$/.test(value) ? dollarText(value) : String(value);
}

export const attemptWords: WordsOf<AttemptOutcome> = {
  answered: "Answered",
  refused: "Refused by the called side",
  failed: "Failed at the carrier",
  silent: "The carrier did not respond",
  unanswered: "Not answered",
  cancelled: "Given up by the caller",
};

/** `leg`: the browser's or the called phone's. */
export const callEventWords: WordsOf<CallEventKind> = {
  initiated: "Line opened",
  answered: "Answered",
  bridged: "Connected with the other side",
  hangup: "Hung up",
  cost: "Cost reported",
  found_ended: "Found ended when we asked the provider",
  found_lost: "Unknown to the provider when we asked",
  found_record: "Found in the provider's records",
  cancelled: "Ended by the caller",
  ticket_expired: "The browser did not connect in time",
  limit_passed: "The limit was reached",
  account_frozen: "Ended because the account was frozen",
  credit_owed: "Ended because the customer owes credit",
  access_ended: "Ended because the customer signed out everywhere",
  session_ended: "Ended because the device was signed out",
  ended_by_operator: "Ended by an operator",
  parked_leg_answered: "Line to the browser answered",
  transfer_failed: "The number could not be dialled",
};

export const legWords: WordsOf<"parked" | "far"> = { parked: "line to the browser", far: "line to the called phone" };
export const sourceWords: WordsOf<"provider" | "service"> = { provider: "Voice provider", service: "Our service" };
export const holdWords: WordsOf<"pending" | "posted" | "voided"> = {
  pending: "Set aside",
  posted: "Charged, the rest released",
  voided: "Released",
};

export const numberTypeWords: WordsOf<NumberType> = {
  mobile: "mobile",
  landline: "landline",
  fixed_or_mobile: "landline or mobile",
  toll_free: "toll-free number",
  premium: "premium number",
  shared_cost: "shared-cost number",
  voip: "internet number",
  personal: "personal number",
  pager: "pager",
  uan: "company number",
  voicemail: "voicemail",
  satellite: "satellite phone",
  international_network: "international network",
};

/** How risky calls to a number are. */
export const riskWords: WordsOf<"block" | "high" | "watch"> = { block: "Blocked", high: "High", watch: "Watched" };

/** "Ghana mobile". @param country ISO 3166-1 alpha-2 */
export function destinationWords(country: string, type: string): string {
  return `${englishNameOf(country)} ${wordFor(numberTypeWords, type).toLowerCase()}`;
}

/** "Sound 4.4 of 5". @param mos mean opinion score, 1 to 5 */
export function soundText(mos: number): string {
  return `Sound ${mos.toFixed(1)} of 5`;
}

const MINUTE_S = 60;

/** "5 min 41 s", "44 s". @param seconds whole */
export function spanWords(seconds: number): string {
  const [minutes, rest] = [Math.floor(seconds / MINUTE_S), seconds % MINUTE_S];
  if (minutes === 0) return `${rest} s`;
  return rest === 0 ? `${minutes} min` : `${minutes} min ${rest} s`;
}

/** The seconds that the customer reads, with the measured ones: "6 s (measured 5.2 s)". */
export function talkedWords(billedSeconds: number, measuredMs: number): string {
  const measured = (measuredMs / 1000).toFixed(1);
  return Number(measured) === billedSeconds ? spanWords(billedSeconds) : `${spanWords(billedSeconds)} (measured ${measured} s)`;
}

/** What the voice provider or the carrier says of a hang-up. */
const hangupCauseWords: Readonly<Record<string, string>> = {
  normal_clearing: "hung up",
  originator_cancel: "the caller gave up",
  user_busy: "busy",
  timeout: "no answer",
  no_answer: "no answer",
  call_rejected: "declined",
  unallocated_number: "number not in service",
  not_found: "number not in service",
  time_limit: "the limit was reached",
  service_unavailable: "the carrier is unavailable",
  media_timeout: "the audio stopped",
};
const hangupSourceWords: Readonly<Record<string, string>> = {
  caller: "the caller",
  callee: "the called person",
  unknown: "unknown",
};

/** SIP statuses that carriers answer with (RFC 3261, 21). */
const sipWords: Readonly<Record<number, string>> = {
  200: "answered",
  403: "forbidden",
  404: "number unknown",
  408: "timed out",
  480: "unavailable now",
  484: "number incomplete",
  486: "busy",
  487: "cancelled",
  488: "no common codec",
  500: "error at the carrier",
  502: "error beyond the carrier",
  503: "carrier unavailable",
  504: "timed out beyond the carrier",
  600: "busy everywhere",
  603: "declined",
  604: "number does not exist",
};

/** Causes of the network (ITU-T Q.850). */
const q850Words: Readonly<Record<number, string>> = {
  1: "number not in service",
  3: "no route to destination",
  16: "hung up",
  17: "busy",
  18: "the phone does not respond",
  19: "no answer",
  20: "phone switched off",
  21: "declined",
  27: "line out of order",
  28: "wrong number format",
  31: "hung up",
  34: "no free line",
  38: "network out of order",
  41: "temporary network failure",
  42: "network overloaded",
  102: "timed out",
};

/** "SIP 503, carrier unavailable". @param status null without a final response */
export function sipText(status: number | null): string {
  if (status === null) return "no response";
  return `SIP ${status}${sipWords[status] === undefined ? "" : `, ${sipWords[status]}`}`;
}

/** "Q.850 41, temporary network failure". */
export function q850Text(cause: number): string {
  return `Q.850 ${cause}${q850Words[cause] === undefined ? "" : `, ${q850Words[cause]}`}`;
}

type Written = (value: string) => Omit<DetailWords, "name">;
const asText: Written = (text) => ({ text, at: null });
const asTime: Written = (at) => ({ text: at, at: Number.isNaN(Date.parse(at)) ? null : at });
const eventDetails: Readonly<Record<EventDetail, readonly [name: string, written: Written]>> = {
  hangup_cause: ["cause", (cause) => asText(wordFor(hangupCauseWords, cause).toLowerCase())],
  hangup_source: ["by", (source) => asText(wordFor(hangupSourceWords, source))],
  sip_hangup_cause: [
    "carrier said",
    (status) => asText(/^\d{3}$/.test(status) ? sipText(Number(status)) : wordFor({}, status).toLowerCase()),
  ],
  heard_until: ["heard until", asTime],
  state: ["state", (state) => asText(wordFor({}, state).toLowerCase())],
  answered_at: ["answered at", asTime],
  caller_gone: ["the caller", () => asText("was gone")],
  total_cost: ["cost", (cost) => asText(/^\d+(\.\d{1,6})?$/.test(cost) ? dollarText(cost) : `$${cost}`)],
};

/** What an event said, in words. */
export function eventWords(detail: Readonly<Partial<Record<EventDetail, string>>>): DetailWords[] {
  return (Object.keys(eventDetails) as EventDetail[]).flatMap((key) => {
    const value = detail[key];
    if (value === undefined) return [];
    const [name, written] = eventDetails[key];
    return [{ name, ...written(value) }];
  });
}
