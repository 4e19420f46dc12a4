import { PCMU, sdp, type Step } from "./carrier-script.ts";
import { ack, answer, bye, type CarrierScenario, completed, hungUp, invite, ring } from "./scenario.ts";

const begin: readonly Step[] = [invite, answer, ack];
/** The carrier's re-INVITE, whose 200 matches. */
const reinvite = (cseq: number, body: readonly string[], contains: string): readonly Step[] => [
  { send: "INVITE", cseq, sdp: body },
  { answered: 200, contains },
  { send: "ACK", cseq },
];
const withTimer = (seconds: number, refresher: "uac" | "uas"): Step => ({
  ...answer,
  headers: [`Session-Expires: ${seconds};refresher=${refresher}`, "Require: timer"],
});
const refreshed = (seconds: number): { readonly headers: readonly string[] } => ({
  headers: [`Session-Expires: ${seconds};refresher=uac`, "Supported: timer"],
});
const at = (port: number, codec: 0 | 8): readonly string[] => sdp([`m=audio ${port} RTP/AVP ${codec}`]);
/** Our refresh, at half of 90 seconds. */
const ourRefresh: Step = { recv: "INVITE", contains: "Session-Expires: 90;refresher=uac" };

/** What happens between answer and end. */
export const conversationScenarios: readonly CarrierScenario[] = [
  {
    name: "a session refreshed by the carrier's UPDATE",
    steps: [
      invite,
      withTimer(90, "uas"),
      ack,
      { send: "UPDATE", cseq: 1, ...refreshed(90) },
      { answered: 200, contains: "Session-Expires: 90;refresher=uac" },
      ...bye,
    ],
    reported: completed,
  },
  {
    name: "a session refreshed by the carrier's re-INVITE",
    steps: [
      invite,
      withTimer(120, "uas"),
      ack,
      { send: "INVITE", cseq: 1, sdp: sdp(), ...refreshed(120) },
      { answered: 200, contains: "Session-Expires: 120;refresher=uac" },
      { send: "ACK", cseq: 1 },
      ...bye,
    ],
    reported: completed,
  },
  {
    name: "a refresh with a shorter session than is allowed, which is refused",
    steps: [
      ...begin,
      { send: "UPDATE", cseq: 1, headers: ["Session-Expires: 30", "Supported: timer"] },
      { answered: 422, contains: "Min-SE: 90" },
      ...bye,
    ],
    reported: completed,
  },
  {
    name: "a session that we refresh, after the carrier's own request has crossed ours",
    steps: [
      invite,
      withTimer(90, "uac"),
      ack,
      ourRefresh,
      { reply: "491 Request Pending" },
      ack,
      ourRefresh,
      { reply: "200 OK", sdp: sdp(), headers: ["Session-Expires: 90;refresher=uac"] },
      ack,
      ...bye,
    ],
    reported: completed,
    isSlow: true,
  },
  {
    name: "a session that the carrier does not refresh",
    steps: [invite, withTimer(90, "uas"), ack, { recv: "BYE" }, { reply: "200 OK" }],
    reported: "answered unspecified unknown 408",
    isSlow: true,
  },
  {
    name: "a hold and its end",
    steps: [...begin, ...reinvite(1, sdp([...PCMU, "a=sendonly"]), "a=recvonly"), ...reinvite(2, sdp(), "a=sendrecv"), ...bye],
    reported: completed,
  },
  {
    name: "a hold in which nobody sends, and its end by UPDATE",
    steps: [
      ...begin,
      ...reinvite(1, sdp([...PCMU, "a=inactive"]), "a=inactive"),
      { send: "UPDATE", cseq: 2, sdp: sdp() },
      { answered: 200, contains: "a=sendrecv" },
      ...bye,
    ],
    reported: completed,
  },
  {
    name: "a hold by the address 0.0.0.0, until the end",
    steps: [...begin, ...reinvite(1, sdp(PCMU, "0.0.0.0"), "a=inactive"), ...bye],
    reported: completed,
    sound: "held PCMU inactive",
  },
  {
    name: "a move of the sound to another port and codec",
    steps: [...begin, ...reinvite(1, at(40_010, 8), "m=audio"), ...bye],
    reported: completed,
    sound: "40010 PCMA sendrecv",
  },
  {
    name: "a re-INVITE without an offer, whose ACK has the answer",
    steps: [
      ...begin,
      { send: "INVITE", cseq: 1 },
      { answered: 200, contains: "m=audio" },
      { send: "ACK", cseq: 1, sdp: at(40_012, 0) },
      ...bye,
    ],
    reported: completed,
    sound: "40012 PCMU sendrecv",
  },
  {
    name: "a renegotiation to unusable media, which is refused while the call continues",
    steps: [
      ...begin,
      { send: "INVITE", cseq: 1, sdp: sdp(["m=audio 40000 RTP/AVP 18"]) },
      { answered: 488 },
      { send: "ACK", cseq: 1 },
      ...bye,
    ],
    reported: completed,
  },
  {
    name: "an UPDATE without an agreed session timer",
    steps: [...begin, { send: "UPDATE", cseq: 1, headers: ["Supported: timer"] }, { answered: 200 }, ...bye],
    reported: completed,
    trunk: { sessionTimers: false },
  },
  {
    name: "a required extension that we do not have, which is refused",
    steps: [
      ...begin,
      { send: "UPDATE", cseq: 1, headers: ["Require: precondition"] },
      { answered: 420, contains: "Unsupported: precondition" },
      ...bye,
    ],
    reported: completed,
  },
  {
    name: "a request with a lower sequence number than the one before, which is refused",
    steps: [...begin, { send: "UPDATE", cseq: 5 }, { answered: 200 }, { send: "UPDATE", cseq: 4 }, { answered: 500 }, ...bye],
    reported: completed,
  },
  {
    name: "OPTIONS and INFO in the call",
    steps: [
      ...begin,
      { send: "OPTIONS", cseq: 1 },
      { answered: 200 },
      { send: "INFO", cseq: 2 },
      { answered: 405, contains: "Allow: INVITE" },
      ...bye,
    ],
    reported: completed,
  },
  {
    name: "a BYE for another user than our Contact names",
    steps: [...begin, { connected: true }, { send: "BYE", cseq: 9, uri: "sip:4711@carrier.example" }, { answered: 200 }],
    reported: completed,
  },
  {
    name: "a BYE with several reasons",
    steps: [
      ...begin,
      { connected: true },
      { send: "BYE", cseq: 9, headers: ['Reason: SIP;cause=200;text="a, b", Q.850;cause=31', "Reason: X;cause=1"] },
      { answered: 200 },
    ],
    reported: completed,
  },
  {
    name: "a BYE that crosses the caller's own",
    steps: [invite, ring, answer, ack, { recv: "BYE" }, { send: "BYE", cseq: 9 }, { answered: 200 }],
    reported: hungUp,
    hangUp: "answered",
  },
];
