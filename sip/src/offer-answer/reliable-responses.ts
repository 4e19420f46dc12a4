import type { SipRequest, SipResponse } from "../message/message.ts";
import { header } from "../message/response.ts";

/** RFC 3262 §7.1. */
const MAX_RSEQ = 2 ** 32 - 1;

/**
 * What to do with a reliable response of one early dialog: only the next one in order is acknowledged, others are dropped; their sender
 * repeats them (RFC 3262 §4).
 * @param last the RSeq acknowledged last; null before the first
 */
export function orderOf(last: number | null, response: SipResponse): "next" | "dropped" | "unreliable" {
  const rseq = rseqOf(response);
  if (rseq === null) return "unreliable";
  return last === null || rseq === last + 1 ? "next" : "dropped";
}

/** The number of a provisional response that must be acknowledged by PRACK (RFC 3262 §4); null for any other response. */
export function rseqOf(response: SipResponse): number | null {
  if (response.status <= 100 || response.status >= 200 || response.cseq.method !== "INVITE") return null;
  if (!(response.headers.get("require") ?? []).some((tag) => tag.toLowerCase() === "100rel")) return null;
  const rseq = header(response, "rseq") ?? "";
  return /^\d{1,10}$/.test(rseq) && Number(rseq) >= 1 && Number(rseq) <= MAX_RSEQ ? Number(rseq) : null;
}

/** The RAck header of the PRACK (RFC 3262 §7.2). */
export function rackHeaders(response: SipResponse): SipRequest["headers"] {
  return new Map([["rack", [`${rseqOf(response) ?? 0} ${response.cseq.number} ${response.cseq.method}`]]]);
}
