import type { SipRequest } from "../message/message.ts";

const ORIGIN = /^(o=\S+ \S+ )(\d+) /m;
/** Before each media description. */
const MEDIA = /^(?=m=)/m;
const REFUSED = /^m=\S+ 0 /;

/**
 * Whose turn it is to offer or answer in one dialog (RFC 3264, RFC 3262 §5, RFC 3311 §5, RFC 6337). Each side may have one unanswered
 * offer, and only one of them at a time.
 */
export interface OfferAnswer {
  /** The unanswered offer. Of ours: the request whose response, or the ACK, brings the answer. */
  readonly pending: { readonly by: "us" | "them"; readonly method: string; readonly number: number } | null;
  /** Whether a first offer has been answered. */
  readonly settled: boolean;
}

/** A message as far as offers and answers go. */
interface SdpCarrier {
  readonly method: string;
  /** CSeq. */
  readonly number: number;
  readonly hasSdp: boolean;
}

/** RFC 3311 §5.2: a random Retry-After of up to ten seconds. */
const MAX_RETRY_AFTER_SECONDS = 10;

/** Our INVITE carries the first offer. */
export function offeredInInvite(number: number): OfferAnswer {
  return { pending: { by: "us", method: "INVITE", number }, settled: false };
}

export function mayOffer({ pending, settled }: OfferAnswer): boolean {
  return pending === null && settled;
}

/** We send an offer; check `mayOffer` first. An offer in our 2xx to a re-INVITE is answered by its ACK. */
export function offer(state: OfferAnswer, method: string, number: number): OfferAnswer {
  return { ...state, pending: { by: "us", method, number } };
}

/**
 * `preview`: early media of an unreliable 18x, which does not answer the offer (RFC 6337 §3.1.1). `none`: no SDP, or a repetition after
 * the answer, which must be ignored.
 */
type SdpMeaning = "answer" | "preview" | "none";

/** Takes a response to our request. @param reliable whether a provisional response is acknowledged by PRACK */
export function onResponse(
  state: OfferAnswer,
  { method, number, hasSdp }: SdpCarrier,
  status: number,
  reliable: boolean,
): { state: OfferAnswer; meaning: SdpMeaning } {
  const { pending } = state;
  const isOurs = pending?.by === "us" && pending.method === method && pending.number === number;
  if (!isOurs) return { state, meaning: "none" };
  if (status >= 300) return { state: { ...state, pending: null }, meaning: "none" };
  if (status < 200 && !reliable) return { state, meaning: hasSdp ? "preview" : "none" };
  if (hasSdp) return { state: answered, meaning: "answer" };
  // Some carriers answer without SDP and mean that of their early media.
  return { state: status < 200 ? state : answered, meaning: "none" };
}

type RequestVerdict =
  | { readonly kind: "offer" | "answer" | "none" }
  /** 491: our own offer is unanswered. 500: theirs is (RFC 3311 §5.2, RFC 3261 §14.2). */
  | { readonly kind: "refuse"; readonly status: 491 }
  | { readonly kind: "refuse"; readonly status: 500; readonly retryAfterSeconds: number };

/**
 * Takes an INVITE, UPDATE, PRACK or ACK of the peer. After an offer, `answerOffer` must follow; after an INVITE without SDP, `offer` with
 * the number of the INVITE and the method ACK.
 * @param random in [0, 1)
 */
export function onRequest(
  state: OfferAnswer,
  { method, number, hasSdp }: SdpCarrier,
  random: number,
): { state: OfferAnswer; verdict: RequestVerdict } {
  const { pending } = state;
  if (method === "ACK") {
    const awaited = pending?.by === "us" && pending.method === "ACK" && pending.number === number;
    if (!awaited) return { state, verdict: { kind: "none" } };
    return { state: answered, verdict: { kind: hasSdp ? "answer" : "none" } };
  }
  if (!hasSdp && method !== "INVITE") return { state, verdict: { kind: "none" } };
  if (pending?.by === "them") {
    const retryAfterSeconds = Math.floor(random * (MAX_RETRY_AFTER_SECONDS + 1));
    return { state, verdict: { kind: "refuse", status: 500, retryAfterSeconds } };
  }
  if (pending !== null || !state.settled) return { state, verdict: { kind: "refuse", status: 491 } };
  if (!hasSdp) return { state, verdict: { kind: "none" } };
  return { state: { ...state, pending: { by: "them", method, number } }, verdict: { kind: "offer" } };
}

/** Whether the offer of this request of the peer is still unanswered. */
export function awaitsAnswer({ pending }: OfferAnswer, { method, cseq }: Pick<SipRequest, "method" | "cseq">): boolean {
  return pending?.by === "them" && pending.method === method && pending.number === cseq.number;
}

/** We have answered or refused the peer's offer, or the peer has taken it back. */
export function answerOffer(state: OfferAnswer): OfferAnswer {
  return state.pending?.by === "them" ? answered : state;
}

const answered: OfferAnswer = { pending: null, settled: true };

/** Our next SDP in a dialog: its version is one above that of the last SDP sent, or equal if nothing else has changed (RFC 3264 §8). */
export function nextDescription(sent: string, next: string): string {
  const version = Number(ORIGIN.exec(sent)?.[2] ?? 0);
  const unchanged = withVersion(next, version);
  return unchanged === sent ? sent : withVersion(next, version + 1);
}

/**
 * Our offer where the peer asks for one: all that we can, whatever was agreed or held before (RFC 3261 §14.2, RFC 6337 §5.1), in the
 * `m=` lines of the last SDP sent (RFC 3264 §8).
 * @param first our first offer, with one `m=` line
 */
export function offerAgain(sent: string, first: string): string {
  const [head = "", audio = ""] = first.split(MEDIA);
  const lines = sent.split(MEDIA).slice(1);
  return nextDescription(sent, [head, ...lines.map((line) => (REFUSED.test(line) ? line : audio))].join(""));
}

function withVersion(sdp: string, version: number): string {
  return sdp.replace(ORIGIN, `$1${version} `);
}
