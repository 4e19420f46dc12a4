import { PCMU, sdp, type Step } from "./carrier-script.ts";
import { ack, answer, bye, type CarrierScenario, completed, hungUp, invite, ourBye, ring, unusable } from "./scenario.ts";

/** An answered call with this 200. */
const answered = (reply: Partial<Step & object>): readonly Step[] => [
  invite,
  { reply: "200 OK", sdp: sdp(), ...reply },
  ack,
  ...bye,
];
const refused = (body: readonly string[]): readonly Step[] => [invite, ring, { reply: "200 OK", sdp: body }, ack, ...ourBye];
const challenge = (status: "401" | "407", parameters: string): readonly Step[] => [
  { reply: `${status} Unauthorized`, headers: [`${status === "401" ? "WWW" : "Proxy"}-Authenticate: Digest ${parameters}`] },
  ack,
];
const account = { username: "farline", password: "secret" };
const again = (contains: string): Step => ({ recv: "INVITE", contains });
const MULTIPART = [
  "--b",
  "Content-Type: application/isup;version=itu-t92+",
  "Content-Disposition: signal;handling=optional",
  "",
  "ISUP",
  "--b",
  "Content-Type: application/sdp",
  "",
  ...sdp(),
  "--b--",
];

/** How a carrier takes the call. */
export const answerScenarios: readonly CarrierScenario[] = [
  { name: "an ordinary call that the callee ends", steps: [invite, ring, answer, ack, ...bye], reported: completed },
  {
    name: "an ordinary call that the caller ends",
    steps: [invite, ring, answer, ack, ...ourBye],
    reported: hungUp,
    hangUp: "answered",
  },
  { name: "an answer with only G.729", steps: refused(sdp(["m=audio 40000 RTP/AVP 18"])), reported: unusable },
  { name: "an answer with SRTP", steps: refused(sdp(["m=audio 40000 RTP/SAVP 0"])), reported: unusable },
  {
    name: "an answer with an IPv6 address",
    steps: refused(sdp().map((line) => (line.startsWith("c=") ? "c=IN IP6 ::1" : line))),
    reported: unusable,
  },
  { name: "an answer with a host name", steps: answered({ sdp: sdp(PCMU, "localhost") }), reported: completed },
  {
    name: "an answer with A-law",
    steps: answered({ sdp: sdp(["m=audio 40000 RTP/AVP 8"]) }),
    reported: completed,
    sound: "40000 PCMA sendrecv",
  },
  {
    name: "an answer with mu-law under a dynamic payload type, and video that it refuses",
    steps: answered({ sdp: sdp(["m=video 0 RTP/AVP 31", "m=audio 40000 RTP/AVP 96", "a=rtpmap:96 pcmu/8000/1"]) }),
    reported: completed,
  },
  {
    name: "an answer in packets of 30 ms",
    steps: answered({ sdp: sdp([...PCMU, "a=ptime:30", "a=maxptime:30"]) }),
    reported: completed,
  },
  {
    name: "an answer beside ISUP in a multipart body",
    steps: answered({ sdp: MULTIPART, type: "multipart/mixed;boundary=b" }),
    reported: completed,
  },
  { name: "an answer with SDP and no Content-Type", steps: answered({ type: null }), reported: completed },
  {
    name: "an answer without a To tag",
    steps: [invite, { ...answer, tag: null }, ack, { connected: true }, { send: "BYE", cseq: 9, tag: null }, { answered: 200 }],
    reported: completed,
  },
  { name: "an answer with short header names", steps: answered({ compact: true }), reported: completed },
  { name: "an answer without a phrase", steps: answered({ reply: "200" }), reported: completed },
  {
    name: "an answer with more than six kilobytes of headers",
    steps: answered({ headers: [1, 2, 3, 4].map((part) => `X-Part-${part}: ${"a".repeat(1_700)}`) }),
    reported: completed,
  },
  {
    name: "a tel URI as Contact, to which ACK and BYE go",
    steps: [
      invite,
      { ...answer, contact: "<tel:+447400123456>" },
      { recv: "ACK", contains: "ACK tel:.447400123456 SIP" },
      ...ourBye,
    ],
    reported: hungUp,
    hangUp: "answered",
  },
  {
    name: "a proxy that stays on the route",
    steps: [
      invite,
      { ...answer, headers: ["Record-Route: <sip:127.0.0.1:[local_port];lr;did=1>"] },
      { recv: "ACK", contains: "Route: .sip:127.0.0.1:[0-9]+;lr;did=1" },
      { recv: "BYE", contains: "Route: .sip:127.0.0.1:[0-9]+;lr;did=1" },
      { reply: "200 OK" },
    ],
    reported: hungUp,
    hangUp: "answered",
  },
  {
    name: "a password for the carrier",
    steps: [
      invite,
      ...challenge("401", 'realm="c", nonce="n1", qop="auth", algorithm=SHA-256'),
      again('Authorization: Digest .*realm="c".*algorithm=SHA-256'.replaceAll('"', ".")),
      answer,
      ack,
      ...bye,
    ],
    reported: completed,
    trunk: account,
  },
  {
    name: "a password for a proxy and then one for the carrier",
    steps: [
      invite,
      ...challenge("407", 'realm="proxy", nonce="n1"'),
      again("Proxy-Authorization: Digest"),
      ...challenge("401", 'realm="server", nonce="n2"'),
      again("CSeq: 3 INVITE"),
      answer,
      ack,
      ...bye,
    ],
    reported: completed,
    trunk: account,
  },
  {
    name: "a password whose nonce is stale",
    steps: [
      invite,
      ...challenge("401", 'realm="c", nonce="n1"'),
      again("nonce=.n1."),
      ...challenge("401", 'realm="c", nonce="n2", stale=TRUE'),
      again("nonce=.n2."),
      answer,
      ack,
      ...bye,
    ],
    reported: completed,
    trunk: account,
  },
  {
    name: "a password that is wrong",
    steps: [
      invite,
      ...challenge("401", 'realm="c", nonce="n1"'),
      again("nonce=.n1."),
      ...challenge("401", 'realm="c", nonce="n2"'),
    ],
    reported: "call_rejected callee 401",
    trunk: account,
  },
  {
    name: "a longer session interval required by the carrier",
    steps: [
      invite,
      { reply: "422 Session Interval Too Small", headers: ["Min-SE: 3600"] },
      ack,
      again("CSeq: 2 INVITE.*"),
      { ...answer, headers: ["Session-Expires: 3600;refresher=uac", "Require: timer"] },
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
      again("Require: 100rel"),
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
      { reply: "302 Moved Temporarily", contact: "<sip:+447400123456@127.0.0.1:[local_port]>" },
      ack,
      { recv: "INVITE" },
      answer,
      ack,
      ...bye,
    ],
    reported: completed,
  },
  {
    name: "a redirect to another host or, failing that, the trunk's own, with number portability in the user",
    steps: [
      invite,
      {
        reply: "302 Moved Temporarily",
        contact:
          "<sip:+447400123456@elsewhere.example>;q=1.0, <sip:+447400123456;npdi;rn=+447400@127.0.0.1:[local_port];user=phone>;q=0.5",
      },
      ack,
      again("INVITE sip:.447400123456;npdi;rn=.447400@127"),
      answer,
      ack,
      ...bye,
    ],
    reported: completed,
  },
  {
    name: "a number in the carrier's format",
    steps: [{ recv: "INVITE", contains: "INVITE sip:99%2300447400123456@|INVITE sip:99#00447400123456@" }, answer, ack, ...bye],
    reported: completed,
    trunk: { numberFormat: "00", techPrefix: "99#" },
  },
];
