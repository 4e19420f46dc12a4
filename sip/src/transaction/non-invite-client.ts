import type { SipRequest, SipResponse } from "../message/message.ts";
import { type ClientEvent, type Deadlines, failed, GIVE_UP_MS, send, stay, type Step, T1_MS, T2_MS, T4_MS } from "./step.ts";

/** The client transaction of a request other than INVITE and ACK (RFC 3261 §17.1.2). */
export interface NonInviteClient extends Deadlines {
  readonly name: "trying" | "proceeding" | "completed" | "terminated";
  readonly request: SipRequest;
  readonly reliable: boolean;
  /** Timer E. */
  readonly intervalMs: number;
}

export function startNonInviteClient(request: SipRequest, reliable: boolean, now: number): Step<NonInviteClient> {
  const deadlines = { retransmitAt: reliable ? Infinity : now + T1_MS, endAt: now + GIVE_UP_MS };
  return { state: { name: "trying", request, reliable, intervalMs: T1_MS, ...deadlines }, outputs: [send(request)] };
}

export function stepNonInviteClient(state: NonInviteClient, event: ClientEvent, now: number): Step<NonInviteClient> {
  const waiting = state.name === "trying" || state.name === "proceeding";
  switch (event.kind) {
    case "response":
      return waiting ? onResponse(state, event.response, now) : stay(state);
    case "timer":
      return onTimer(state, now);
    case "connection_lost":
    case "transport_error":
      // Sent again until timer F, over the next connection: a lost BYE leaves a leg that costs money.
      return waiting ? stay({ ...state, reliable: false, retransmitAt: now + state.intervalMs }) : stay(state);
    default: // RFC 3261 §9.1: only an INVITE is cancelled.
      return stay(state);
  }
}

function onResponse(state: NonInviteClient, response: SipResponse, now: number): Step<NonInviteClient> {
  const outputs = [{ kind: "deliver", response } as const];
  if (response.status < 200) return { state: { ...state, name: "proceeding", intervalMs: T2_MS }, outputs };
  // Timer K.
  const endAt = state.reliable ? now : now + T4_MS;
  return { state: { ...state, name: "completed", retransmitAt: Infinity, endAt }, outputs };
}

function onTimer(state: NonInviteClient, now: number): Step<NonInviteClient> {
  if (now >= state.endAt) return terminate(state);
  if (now < state.retransmitAt) return stay(state);
  const intervalMs = Math.min(state.intervalMs * 2, T2_MS);
  return { state: { ...state, intervalMs, retransmitAt: now + intervalMs }, outputs: [send(state.request)] };
}

function terminate(state: NonInviteClient): Step<NonInviteClient> {
  const over: NonInviteClient = { ...state, name: "terminated", retransmitAt: Infinity, endAt: Infinity };
  return { state: over, outputs: state.name === "completed" ? [] : [failed("timeout")] };
}
