import type { SipRequest, SipResponse } from "../message/message.ts";
import { type Deadlines, GIVE_UP_MS, send, type ServerEvent, stay, type Step } from "./step.ts";

/** The server transaction of a request other than INVITE and ACK (RFC 3261 §17.2.2). */
export interface NonInviteServer extends Deadlines {
  readonly name: "trying" | "proceeding" | "completed" | "terminated";
  readonly request: SipRequest;
  readonly reliable: boolean;
  readonly response: SipResponse | null;
}

export function startNonInviteServer(request: SipRequest, reliable: boolean, now: number): NonInviteServer {
  // A user that never responds must not keep the transaction for ever (RFC 4320 §4.2 forbids a response after timer F).
  return { name: "trying", request, reliable, response: null, retransmitAt: Infinity, endAt: now + GIVE_UP_MS };
}

export function stepNonInviteServer(state: NonInviteServer, event: ServerEvent, now: number): Step<NonInviteServer> {
  switch (event.kind) {
    case "request":
      return state.response === null ? stay(state) : { state, outputs: [send(state.response)] };
    case "respond": {
      const { response } = event;
      if (state.name !== "trying" && state.name !== "proceeding") return stay(state);
      if (response.status < 200) return { state: { ...state, name: "proceeding", response }, outputs: [send(response)] };
      // Timer J.
      const endAt = state.reliable ? now : now + GIVE_UP_MS;
      return { state: { ...state, name: "completed", response, endAt }, outputs: [send(response)] };
    }
    case "timer":
      return now >= state.endAt ? stay({ ...state, name: "terminated", endAt: Infinity }) : stay(state);
    default:
      return stay(state);
  }
}
