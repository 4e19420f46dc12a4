import type { SipRequest, SipResponse } from "../message/message.ts";
import { responseTo } from "../message/response.ts";
import {
  type Deadlines,
  failed,
  GIVE_UP_MS,
  send,
  type ServerEvent,
  stay,
  type Step,
  T1_MS,
  T2_MS,
  T4_MS,
  TRYING_MS,
} from "./step.ts";

/**
 * An INVITE server transaction (RFC 3261 §17.2.1 with the Accepted state of RFC 6026 §8.5). It also retransmits a 2xx until the ACK
 * arrives, over every transport, which RFC 3261 §13.3.1.4 leaves to its user.
 */
export interface InviteServer extends Deadlines {
  readonly name: "proceeding" | "completed" | "confirmed" | "accepted" | "terminated";
  readonly request: SipRequest;
  readonly reliable: boolean;
  /** Timer G, or that of the 2xx. */
  readonly intervalMs: number;
  readonly response: SipResponse | null;
}

/** Sends 100 after 200 ms unless the user has responded. */
export function startInviteServer(request: SipRequest, reliable: boolean, now: number): InviteServer {
  const deadlines = { retransmitAt: now + TRYING_MS, endAt: Infinity };
  return { name: "proceeding", request, reliable, intervalMs: T1_MS, response: null, ...deadlines };
}

export function stepInviteServer(state: InviteServer, event: ServerEvent, now: number): Step<InviteServer> {
  switch (event.kind) {
    case "request":
      return onRequest(state, event.request, now);
    case "respond":
      return onRespond(state, event.response, now);
    case "acknowledged":
      return state.name === "accepted" ? stay({ ...state, retransmitAt: Infinity }) : stay(state);
    case "timer":
      return onTimer(state, now);
    default:
      return state.name === "completed" ? end(state, "transport") : stay(state);
  }
}

function onRequest(state: InviteServer, { method }: SipRequest, now: number): Step<InviteServer> {
  if (method === "ACK") {
    if (state.name !== "completed") return stay(state);
    // Timer I absorbs further ACKs.
    return stay({ ...state, name: "confirmed", retransmitAt: Infinity, endAt: state.reliable ? now : now + T4_MS });
  }
  const repeats = state.response !== null && (state.name === "proceeding" || state.name === "completed");
  return repeats && state.response !== null ? { state, outputs: [send(state.response)] } : stay(state);
}

function onRespond(state: InviteServer, response: SipResponse, now: number): Step<InviteServer> {
  if (state.name !== "proceeding") return stay(state);
  const outputs = [send(response)];
  if (response.status < 200) return { state: { ...state, response, retransmitAt: Infinity }, outputs };
  const final = { ...state, response, endAt: now + GIVE_UP_MS };
  if (response.status < 300) return { state: { ...final, name: "accepted", retransmitAt: now + T1_MS }, outputs };
  return { state: { ...final, name: "completed", retransmitAt: state.reliable ? Infinity : now + T1_MS }, outputs };
}

function onTimer(state: InviteServer, now: number): Step<InviteServer> {
  if (now >= state.endAt) {
    const unconfirmed = state.name === "completed" || (state.name === "accepted" && state.retransmitAt !== Infinity);
    return unconfirmed ? end(state, "timeout") : stay({ ...state, ...over });
  }
  if (now < state.retransmitAt) return stay(state);
  if (state.response === null) return onRespond(state, responseTo(state.request, 100, "Trying", { toTag: "" }), now);
  const intervalMs = Math.min(state.intervalMs * 2, T2_MS);
  return { state: { ...state, intervalMs, retransmitAt: now + intervalMs }, outputs: [send(state.response)] };
}

const over = { name: "terminated", retransmitAt: Infinity, endAt: Infinity } as const;

function end(state: InviteServer, cause: "timeout" | "transport"): Step<InviteServer> {
  return { state: { ...state, ...over }, outputs: [failed(cause)] };
}
