import type { Step } from "./carrier-script.ts";
import { ack, type CarrierScenario, invite } from "./scenario.ts";

const Q850 = (cause: number): string => `Reason: Q.850;cause=${cause}`;
const CONTACT = (uri: string): string => `Contact: <${uri}>`;

const refusals: readonly (readonly [reply: string, reported: string, headers?: readonly string[]])[] = [
  ["486 Busy Here", "user_busy callee 486"],
  ["486", "user_busy callee 486"],
  ["600 Busy Everywhere", "user_busy callee 600"],
  ["480 Temporarily Unavailable", "no_answer callee 480"],
  ["480 Temporarily Unavailable", "user_busy callee 486", ['Reason: Q.850;cause=17;text="User busy"']],
  ["480 Temporarily Unavailable", "user_busy callee 486", ['Reason: SIP;cause=480;text="a, b", Q.850;cause=17']],
  ["480 Temporarily Unavailable", "call_rejected callee 603", ["Reason: SIP;cause=480", Q850(21)]],
  ["404 Not Found", "not_found callee 404"],
  ["404 Not Found", "not_found callee 404", [Q850(3)]],
  ["484 Address Incomplete", "not_found callee 484"],
  ["410 Gone", "not_found callee 410"],
  ["604 Does Not Exist Anywhere", "not_found callee 604"],
  ["401 Unauthorized", "call_rejected callee 401", ['WWW-Authenticate: Digest realm="c", nonce="1"']],
  ["402 Payment Required", "call_rejected callee 402"],
  ["403 Forbidden", "call_rejected callee 403"],
  ["407 Proxy Authentication Required", "call_rejected callee 407", ['Proxy-Authenticate: Digest realm="c", nonce="1"']],
  ["433 Anonymity Disallowed", "call_rejected callee 433"],
  ["603 Decline", "call_rejected callee 603"],
  ["607 Unwanted", "call_rejected callee 607"],
  ["608 Rejected", "call_rejected callee 608"],
  ["487 Request Terminated", "no_answer callee 480"],
  ["487 Request Terminated", "call_rejected callee 603", [Q850(21)]],
  ["408 Request Timeout", "no_answer callee 408"],
  ["500 Server Internal Error", "unspecified callee 500"],
  ["500 Server Internal Error", "not_found callee 404", [Q850(1)]],
  ["503 Service Unavailable", "unspecified callee 503", ["Retry-After: 30"]],
  ["503 Service Unavailable", "user_busy callee 486", [Q850(17)]],
  ["415 Unsupported Media Type", "unspecified callee 415", ["Accept: application/sdp"]],
  ["483 Too Many Hops", "unspecified callee 483"],
  ["488 Not Acceptable Here", "unspecified callee 488", ['Warning: 305 carrier "Incompatible media format"']],
  ["606 Not Acceptable", "unspecified callee 606"],
  ["420 Bad Extension", "unspecified callee 420", ["Unsupported: precondition"]],
  ["421 Extension Required", "unspecified callee 421", ["Require: precondition"]],
  ["422 Session Interval Too Small", "unspecified callee 422"],
  ["301 Moved Permanently", "unspecified callee 301", [CONTACT("tel:+882999999999")]],
  ["302 Moved Temporarily", "unspecified callee 302", [CONTACT("sip:+447400123456@elsewhere.example")]],
  ["302 Moved Temporarily", "unspecified callee 302", [CONTACT("sip:+882999999999@127.0.0.1:[local_port]")]],
  ["305 Use Proxy", "unspecified callee 305", [CONTACT("sip:proxy.example")]],
  ["380 Alternative Service", "unspecified callee 380"],
];

/** A carrier that refuses the call. */
export function refusingCarrier(reply: string, headers: readonly string[] = []): readonly Step[] {
  return [invite, { reply, headers, contact: null }, ack];
}

export const refusalScenarios: readonly CarrierScenario[] = [
  ...refusals.map(([reply, reported, headers = []]) => ({
    name: `a refusal by ${[reply, ...headers].join(", ")}`,
    steps: refusingCarrier(reply, headers),
    reported,
  })),
  {
    name: "a refusal with short header names",
    steps: [invite, { reply: "486 Busy Here", compact: true }, ack],
    reported: "user_busy callee 486",
  },
];
