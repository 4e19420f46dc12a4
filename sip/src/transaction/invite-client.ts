import type { SipRequest, SipResponse } from "../message/message.ts";
import { ackForRefusal } from "./derive-messages.ts";
import { type ClientEvent, type Deadlines, failed, GIVE_UP_MS, send, stay, type Step, T1_MS, TIMER_D_MS } from "./step.ts";

/** An INVITE client transaction (RFC 3261 §17.1.1 with the Accepted state of RFC 6026 §8.4). */
export interface InviteClient extends Deadlines {
  readonly name: "calling" | "proceeding" | "completed" | "accepted" | "terminated";
  readonly request: SipRequest;
  readonly reliable: boolean;
  /** Timer A. */
  readonly intervalMs: number;
  /** A CANCEL waits for the first provisional response (RFC 3261 §9.1). */
  readonly cancel: "none" | "wanted" | "sent";
  /** The connection broke after the request was sent: it may have arrived, and its responses come over another connection. */
  readonly lost: boolean;
  /** Sent for each retransmission of the refusal. */
  readonly ack: SipRequest | null;
}

export function startInviteClient(request: SipRequest, reliable: boolean, now: number): Step<InviteClient> {
  const deadlines = { retransmitAt: reliable ? Infinity : now + T1_MS, endAt: now + GIVE_UP_MS };
  const state: InviteClient = {
    name: "calling",
    request,
    reliable,
    intervalMs: T1_MS,
    cancel: "none",
    lost: false,
    ack: null,
    ...deadlines,
  };
  return { state, outputs: [send(request)] };
}

/** The transaction of an INVITE that an earlier process sent and that was not answered. */
export function resumeInviteClient(request: SipRequest, reliable: boolean): InviteClient {
  const deadlines = { retransmitAt: Infinity, endAt: Infinity };
  return { name: "proceeding", request, reliable, intervalMs: T1_MS, cancel: "none", lost: false, ack: null, ...deadlines };
}

export function stepInviteClient(state: InviteClient, event: ClientEvent, now: number): Step<InviteClient> {
  switch (event.kind) {
    case "response":
      return onResponse(state, event.response, now);
    case "cancel":
      return onCancel(state, now);
    case "timer":
      return onTimer(state, now);
    case "connection_lost":
      return onConnectionLost(state, now);
    default:
      return state.name === "calling" || state.name === "completed" ? end(state, "transport") : stay(state);
  }
}

function onResponse(state: InviteClient, response: SipResponse, now: number): Step<InviteClient> {
  const { status } = response;
  const deliver = { kind: "deliver", response } as const;
  const waiting = state.name === "calling" || state.name === "proceeding";
  if (waiting && status < 200) {
    const proceeding: InviteClient = { ...state, name: "proceeding", retransmitAt: Infinity };
    if (state.cancel === "wanted") return { state: sentCancel(proceeding, now), outputs: [deliver, { kind: "cancel" }] };
    return { state: { ...proceeding, endAt: state.cancel === "sent" ? state.endAt : Infinity }, outputs: [deliver] };
  }
  if (waiting && status >= 300) {
    const ack = ackForRefusal(state.request, response);
    const completed: InviteClient = { ...state, name: "completed", ack, retransmitAt: Infinity };
    return { state: { ...completed, endAt: state.reliable ? now : now + TIMER_D_MS }, outputs: [deliver, send(ack)] };
  }
  if (status >= 200 && status < 300 && (waiting || state.name === "accepted")) {
    // Timer M: further 2xx are retransmissions or other forks, and for the user to acknowledge.
    const endAt = state.name === "accepted" ? state.endAt : now + GIVE_UP_MS;
    return { state: { ...state, name: "accepted", retransmitAt: Infinity, endAt }, outputs: [deliver] };
  }
  if (state.name === "completed" && status >= 300 && state.ack !== null) return { state, outputs: [send(state.ack)] };
  return stay(state);
}

/** Responses arrive over another connection (RFC 3261 §18.2.2). A CANCEL can no longer overtake the request, so it need not wait. */
function onConnectionLost(state: InviteClient, now: number): Step<InviteClient> {
  const lost = { ...state, lost: true };
  if (state.name !== "calling" || state.cancel !== "wanted") return stay(lost);
  return { state: sentCancel(lost, now), outputs: [{ kind: "cancel" }] };
}

function onCancel(state: InviteClient, now: number): Step<InviteClient> {
  if (state.cancel !== "none") return stay(state);
  if (state.name === "calling" && state.lost) return { state: sentCancel(state, now), outputs: [{ kind: "cancel" }] };
  // It is not repeated: what has not arrived need not ring.
  if (state.name === "calling") return stay({ ...state, cancel: "wanted", retransmitAt: Infinity });
  if (state.name === "proceeding") return { state: sentCancel(state, now), outputs: [{ kind: "cancel" }] };
  return stay(state);
}

/** Without a final response by then the INVITE counts as cancelled (RFC 3261 §9.1). */
function sentCancel(state: InviteClient, now: number): InviteClient {
  return { ...state, cancel: "sent", endAt: now + GIVE_UP_MS };
}

function onTimer(state: InviteClient, now: number): Step<InviteClient> {
  if (now >= state.endAt) {
    const answered = state.name === "accepted" || state.name === "completed";
    return answered ? stay({ ...state, ...over }) : end(state, state.lost ? "transport" : "timeout");
  }
  if (now < state.retransmitAt) return stay(state);
  const intervalMs = state.intervalMs * 2;
  return { state: { ...state, intervalMs, retransmitAt: now + intervalMs }, outputs: [send(state.request)] };
}

const over = { name: "terminated", retransmitAt: Infinity, endAt: Infinity } as const;

function end(state: InviteClient, cause: "timeout" | "transport"): Step<InviteClient> {
  return { state: { ...state, ...over }, outputs: [failed(cause)] };
}
