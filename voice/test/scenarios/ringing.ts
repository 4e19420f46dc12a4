import { PCMU, sdp } from "./carrier-script.ts";
import { ack, answer, bye, cancelled, type CarrierScenario, completed, invite, ourBye, ring, unusable } from "./scenario.ts";

const reliable = (rseq: number): { readonly headers: readonly string[] } => ({ headers: ["Require: 100rel", `RSeq: ${rseq}`] });
const early = { reply: "183 Session Progress", sdp: sdp() };
const at = (port: number): readonly string[] => sdp([`m=audio ${port} RTP/AVP 0`]);
const late = { reply: "200 OK", to: "1 INVITE" };

/** What happens before the answer. */
export const ringingScenarios: readonly CarrierScenario[] = [
  {
    name: "every kind of ringing, some of it twice",
    steps: [
      invite,
      { reply: "100 Trying" },
      { reply: "181 Call Is Being Forwarded" },
      { reply: "182 Queued" },
      ring,
      ring,
      { reply: "199 Early Dialog Terminated" },
      { reply: "183 Session Progress" },
      answer,
      ack,
      ...bye,
    ],
    reported: completed,
  },
  { name: "ringing without Contact", steps: [invite, { ...ring, contact: null }, answer, ack, ...bye], reported: completed },
  { name: "an answer without ringing", steps: [invite, answer, ack, ...bye], reported: completed },
  {
    name: "a first response only to the repeated INVITE",
    steps: [invite, { pauseMs: 700 }, ring, answer, ack, ...bye],
    reported: completed,
  },
  {
    name: "early media and an answer without SDP",
    steps: [invite, early, { reply: "200 OK" }, ack, ...bye],
    reported: completed,
  },
  {
    name: "early media and then other SDP in the answer",
    steps: [invite, early, { reply: "200 OK", sdp: at(40_004) }, ack, ...bye],
    reported: completed,
    sound: "40004 PCMU sendrecv",
  },
  {
    name: "unusable early media",
    steps: [invite, { ...early, sdp: sdp(["m=audio 40000 RTP/AVP 18"]) }, answer, ack, ...bye],
    reported: completed,
  },
  {
    name: "two phones that ring, of which the second answers",
    steps: [invite, { ...early, sdp: at(40_004), tag: "b" }, early, { ...answer, sdp: at(40_006) }, ack, ...bye],
    reported: completed,
    sound: "40006 PCMU sendrecv",
  },
  {
    name: "two phones that both answer, of which the second is hung up",
    steps: [invite, { ...ring, tag: "b" }, ring, answer, ack, { ...late, sdp: at(40_004), tag: "b" }, ack, ...ourBye, ...bye],
    reported: completed,
  },
  {
    name: "a caller who cancels while it rings",
    steps: [invite, ring, { recv: "CANCEL" }, { reply: "200 OK" }, { reply: "487 Request Terminated", to: "1 INVITE" }, ack],
    reported: cancelled,
    hangUp: "ringing",
  },
  {
    name: "an answer that crosses the caller's CANCEL",
    steps: [invite, ring, { recv: "CANCEL" }, { reply: "200 OK" }, { ...late, sdp: sdp() }, ack, ...ourBye],
    reported: cancelled,
    hangUp: "ringing",
  },
  {
    name: "a busy phone that crosses the caller's CANCEL",
    steps: [
      invite,
      ring,
      { recv: "CANCEL" },
      { reply: "481 Call/Transaction Does Not Exist" },
      { reply: "486 Busy Here", to: "1 INVITE" },
      ack,
    ],
    reported: cancelled,
    hangUp: "ringing",
  },
  {
    name: "a reliable provisional response",
    steps: [
      invite,
      { ...early, ...reliable(7) },
      { recv: "PRACK", contains: "RAck: 7 1 INVITE" },
      { reply: "200 OK" },
      late,
      ack,
      ...bye,
    ],
    reported: completed,
  },
  {
    name: "reliable provisional responses, of which one arrives too early",
    steps: [
      invite,
      { ...ring, ...reliable(7) },
      { recv: "PRACK", contains: "RAck: 7 1 INVITE" },
      { reply: "200 OK" },
      { ...early, ...reliable(9), to: "1 INVITE" },
      { ...early, ...reliable(8), to: "1 INVITE" },
      { recv: "PRACK", contains: "RAck: 8 1 INVITE" },
      { reply: "200 OK" },
      late,
      ack,
      ...bye,
    ],
    reported: completed,
  },
  {
    name: "an UPDATE that moves the sound before the answer",
    steps: [
      invite,
      { ...early, ...reliable(1) },
      { recv: "PRACK" },
      { reply: "200 OK" },
      { send: "UPDATE", cseq: 1, sdp: at(40_008) },
      { answered: 200, contains: "m=audio" },
      late,
      ack,
      ...bye,
    ],
    reported: completed,
    sound: "40008 PCMU sendrecv",
  },
  {
    name: "an UPDATE with SDP while the exchange's own offer is unanswered, which is refused",
    steps: [invite, early, { send: "UPDATE", cseq: 1, sdp: sdp() }, { answered: 491 }, { ...late, sdp: sdp() }, ack, ...bye],
    reported: completed,
  },
  {
    name: "an UPDATE without SDP while it rings",
    steps: [invite, ring, { send: "UPDATE", cseq: 1 }, { answered: 200 }, { ...late, sdp: sdp() }, ack, ...bye],
    reported: completed,
  },
  {
    name: "early media without a usable answer",
    steps: [invite, early, { reply: "200 OK", sdp: sdp(["m=audio 0 RTP/AVP 0"]) }, ack, ...ourBye],
    reported: unusable,
  },
  {
    name: "early media in A-law and an answer in mu-law",
    steps: [invite, { ...early, sdp: sdp(["m=audio 40000 RTP/AVP 8"]) }, { ...answer, sdp: sdp(PCMU) }, ack, ...bye],
    reported: completed,
  },
];
