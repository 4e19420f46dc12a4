import type { TrunkConfig } from "../src/sip/trunk.ts";
import { PCMU, sdp, type Step } from "./carrier-script.ts";

/** The number dialled in every scenario. */
export const SCENARIO_NUMBER = "+447400123456";

export interface CarrierScenario {
  readonly name: string;
  readonly steps: readonly Step[];
  /** Cause, source and SIP status of the far leg's end, after "answered" if it was. */
  readonly reported: string;
  readonly trunk?: Pick<Partial<TrunkConfig>, "numberFormat" | "techPrefix" | "sessionTimers">;
  /** When the caller hangs up. */
  readonly hangUp?: "ringing" | "answered";
}

const invite: Step = { recv: "INVITE" };
const ring: Step = { reply: "180 Ringing" };
const answer: Step = { reply: "200 OK", sdp: sdp() };
const ack: Step = { recv: "ACK" };
/** Waits until media is connected; before that a call counts as rejected. */
const bye: readonly Step[] = [{ pauseMs: 1_000 }, { send: "BYE", cseq: 9 }, { answered: 200 }];
const ourBye: readonly Step[] = [{ recv: "BYE" }, { reply: "200 OK" }];
const refuse = (reply: string, headers: readonly string[] = []): readonly Step[] => [invite, { reply, headers }, ack];
const completed = "answered normal_clearing callee 200";
const hungUp = "answered normal_clearing caller 200";

const refusals: readonly (readonly [reply: string, reported: string, headers?: readonly string[]])[] = [
  ["486 Busy Here", "user_busy callee 486"],
  ["600 Busy Everywhere", "user_busy callee 600"],
  ["480 Temporarily Unavailable", "no_answer callee 480"],
  ["480 Temporarily Unavailable", "user_busy callee 486", ['Reason: Q.850;cause=17;text="User busy"']],
  ["404 Not Found", "not_found callee 404"],
  ["484 Address Incomplete", "not_found callee 484"],
  ["410 Gone", "not_found callee 410"],
  ["403 Forbidden", "call_rejected callee 403"],
  ["603 Decline", "call_rejected callee 603"],
  ["487 Request Terminated", "no_answer callee 480"],
  ["487 Request Terminated", "call_rejected callee 603", ["Reason: Q.850;cause=21"]],
  ["408 Request Timeout", "no_answer callee 408"],
  ["500 Server Internal Error", "unspecified callee 500"],
  ["503 Service Unavailable", "unspecified callee 503", ["Retry-After: 30"]],
  ["488 Not Acceptable Here", "unspecified callee 488"],
  ["420 Bad Extension", "unspecified callee 420", ["Unsupported: precondition"]],
  ["421 Extension Required", "unspecified callee 421", ["Require: precondition"]],
  ["422 Session Interval Too Small", "unspecified callee 422"],
  ["302 Moved Temporarily", "unspecified callee 302", ["Contact: <sip:+447400123456@elsewhere.example>"]],
  ["302 Moved Temporarily", "unspecified callee 302", ["Contact: <sip:+882999999999@127.0.0.1:[local_port]>"]],
  ["380 Alternative Service", "unspecified callee 380"],
];

/** Carrier behaviours, each with the reported end. */
export const carrierScenarios: readonly CarrierScenario[] = [
  ...refusals.map(([reply, reported, headers = []]) => ({
    name: `a refusal by ${[reply, ...headers].join(", ")}`,
    steps: refuse(reply, headers),
    reported,
  })),
  { name: "an ordinary call that the callee ends", steps: [invite, ring, answer, ack, ...bye], reported: completed },
  {
    name: "an ordinary call that the caller ends",
    steps: [invite, ring, answer, ack, ...ourBye],
    reported: hungUp,
    hangUp: "answered",
  },
  {
    name: "early media and an answer without SDP",
    steps: [invite, { reply: "183 Session Progress", sdp: sdp() }, { reply: "200 OK" }, ack, ...bye],
    reported: completed,
  },
  {
    name: "unusable early media",
    steps: [invite, { reply: "183 Session Progress", sdp: sdp(["m=audio 40000 RTP/AVP 18"]) }, answer, ack, ...bye],
    reported: completed,
  },
  {
    name: "an answer with only G.729",
    steps: [invite, ring, { reply: "200 OK", sdp: sdp(["m=audio 40000 RTP/AVP 18"]) }, ack, ...ourBye],
    reported: "unspecified callee 488",
  },
  {
    name: "an answer with SRTP",
    steps: [invite, { reply: "200 OK", sdp: sdp(["m=audio 40000 RTP/SAVP 0"]) }, ack, ...ourBye],
    reported: "unspecified callee 488",
  },
  {
    name: "an answer with a host name",
    steps: [invite, { reply: "200 OK", sdp: sdp(PCMU, "localhost") }, ack, ...bye],
    reported: completed,
  },
  {
    name: "an answer with A-law",
    steps: [invite, { reply: "200 OK", sdp: sdp(["m=audio 40000 RTP/AVP 8"]) }, ack, ...bye],
    reported: completed,
  },
  { name: "an answer without ringing", steps: [invite, answer, ack, ...bye], reported: completed },
  {
    name: "a caller who cancels while it rings",
    steps: [invite, ring, { recv: "CANCEL" }, { reply: "200 OK" }, { reply: "487 Request Terminated", to: "1 INVITE" }, ack],
    reported: "originator_cancel caller 487",
    hangUp: "ringing",
  },
  {
    name: "a longer session interval required by the carrier",
    steps: [
      invite,
      { reply: "422 Session Interval Too Small", headers: ["Min-SE: 3600"] },
      ack,
      { recv: "INVITE", contains: "CSeq: 2 INVITE.*" },
      { reply: "200 OK", sdp: sdp(), headers: ["Session-Expires: 3600;refresher=uac", "Require: timer"] },
      ack,
      ...bye,
    ],
    reported: completed,
  },
  {
    name: "a supported extension required by the carrier",
    steps: [
      invite,
      { reply: "421 Extension Required", headers: ["Require: 100rel"] },
      ack,
      { recv: "INVITE", contains: "Require: 100rel" },
      answer,
      ack,
      ...bye,
    ],
    reported: completed,
  },
  {
    name: "a redirect to the trunk's own host",
    steps: [
      invite,
      { reply: "302 Moved Temporarily", headers: ["Contact: <sip:+447400123456@127.0.0.1:[local_port]>"] },
      ack,
      { recv: "INVITE" },
      answer,
      ack,
      ...bye,
    ],
    reported: completed,
  },
  {
    name: "a reliable provisional response",
    steps: [
      invite,
      { reply: "183 Session Progress", sdp: sdp(), headers: ["Require: 100rel", "RSeq: 7"] },
      { recv: "PRACK", contains: "RAck: 7 1 INVITE" },
      { reply: "200 OK" },
      { reply: "200 OK", to: "1 INVITE" },
      ack,
      ...bye,
    ],
    reported: completed,
  },
  {
    name: "a session refreshed by the carrier's UPDATE",
    steps: [
      invite,
      { reply: "200 OK", sdp: sdp(), headers: ["Session-Expires: 90;refresher=uas", "Require: timer"] },
      ack,
      { send: "UPDATE", cseq: 1, headers: ["Session-Expires: 90;refresher=uac", "Supported: timer"] },
      { answered: 200, contains: "Session-Expires: 90;refresher=uac" },
      ...bye,
    ],
    reported: completed,
  },
  {
    name: "a session refreshed by the carrier's re-INVITE",
    steps: [
      invite,
      { reply: "200 OK", sdp: sdp(), headers: ["Session-Expires: 120;refresher=uas", "Require: timer"] },
      ack,
      { send: "INVITE", cseq: 1, sdp: sdp(), headers: ["Session-Expires: 120;refresher=uac", "Supported: timer"] },
      { answered: 200, contains: "Session-Expires: 120;refresher=uac" },
      { send: "ACK", cseq: 1 },
      ...bye,
    ],
    reported: completed,
  },
  {
    name: "a hold and its end",
    steps: [
      invite,
      answer,
      ack,
      { send: "INVITE", cseq: 1, sdp: sdp([...PCMU, "a=sendonly"]) },
      { answered: 200, contains: "a=recvonly" },
      { send: "ACK", cseq: 1 },
      { send: "INVITE", cseq: 2, sdp: sdp() },
      { answered: 200, contains: "a=sendrecv" },
      { send: "ACK", cseq: 2 },
      ...bye,
    ],
    reported: completed,
  },
  {
    name: "a renegotiation to unusable media, which is refused while the call continues",
    steps: [
      invite,
      answer,
      ack,
      { send: "INVITE", cseq: 1, sdp: sdp(["m=audio 40000 RTP/AVP 18"]) },
      { answered: 488 },
      { send: "ACK", cseq: 1 },
      ...bye,
    ],
    reported: completed,
  },
  {
    name: "an UPDATE without an agreed session timer",
    steps: [invite, answer, ack, { send: "UPDATE", cseq: 1, headers: ["Supported: timer"] }, { answered: 200 }, ...bye],
    reported: completed,
    trunk: { sessionTimers: false },
  },
  {
    name: "a number in the carrier's format",
    steps: [{ recv: "INVITE", contains: "INVITE sip:99%2300447400123456@|INVITE sip:99#00447400123456@" }, answer, ack, ...bye],
    reported: completed,
    trunk: { numberFormat: "00", techPrefix: "99#" },
  },
];
