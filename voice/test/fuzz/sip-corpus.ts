/** The fields of a call that messages of the corpus use. */
export interface DialogText {
  readonly via: string;
  readonly from: string;
  readonly to: string;
  readonly callId: string;
  readonly cseq: string;
  /** Where our requests are received. */
  readonly target: string;
  readonly carrierPort: number;
}

const FAR_TAG = ";tag=far";

export const FAR_SDP = [
  ...["v=0", "o=carrier 1 1 IN IP4 127.0.0.1", "s=-", "c=IN IP4 127.0.0.1", "b=AS:80", "t=0 0"],
  ...["m=audio 40000 RTP/AVP 0 8 18 101", "c=IN IP4 127.0.0.1", "a=rtpmap:0 PCMU/8000", "a=rtpmap:8 PCMA/8000/1"],
  ...["a=fmtp:18 annexb=no", "a=rtpmap:101 telephone-event/8000", "a=fmtp:101 0-15", "a=ptime:20"],
  ...["a=rtcp:40001 IN IP4 127.0.0.1", "a=sendrecv", ""],
].join("\r\n");

function message(lines: readonly string[], body = ""): string {
  const type = body === "" ? [] : ["Content-Type: application/sdp"];
  return [...lines, ...type, `Content-Length: ${Buffer.byteLength(body)}`, "", body].join("\r\n");
}

function contact({ carrierPort }: DialogText): string {
  return `Contact: "Carrier" <sip:carrier@127.0.0.1:${carrierPort};transport=udp>;q=0.5`;
}

/** A response to the INVITE. */
export function response(dialog: DialogText, status: string, more: readonly string[] = [], body = ""): string {
  const { via, from, to, callId, cseq } = dialog;
  const first = [`SIP/2.0 ${status}`, via, from, status.startsWith("100") ? to : `${to}${FAR_TAG}`, callId, cseq];
  return message([...first, contact(dialog), ...more], body);
}

/** A request of the far end in the INVITE's dialog. @param cseq with the method: "101 INVITE" */
function request(dialog: DialogText, cseq: string, more: readonly string[] = [], body = ""): string {
  const { from, to, callId, target, carrierPort } = dialog;
  const [number = "", method = ""] = cseq.split(" ");
  return message(
    [
      `${method} ${target} SIP/2.0`,
      `Via: SIP/2.0/UDP 127.0.0.1:${carrierPort};branch=z9hG4bK${method}${number};rport`,
      `From: ${to.replace(/^To: /, "")}${FAR_TAG}`,
      `To: ${from.replace(/^From: /, "")}`,
      ...[callId, `CSeq: ${cseq}`, "Max-Forwards: 70", contact(dialog), ...more],
    ],
    body,
  );
}

const CHALLENGE = 'Digest realm="carrier", nonce="84a4cc6f", opaque="5ccc", algorithm=SHA-256, qop="auth,auth-int", stale=false';

/** Responses of a carrier to an INVITE. */
export function responses(dialog: DialogText): string[] {
  const reliable = ["Require: 100rel", "RSeq: 988789"];
  const timers = ["Supported: timer, 100rel", "Session-Expires: 1800;refresher=uac", "Record-Route: <sip:127.0.0.1;lr>"];
  const reason = ['Reason: Q.850;cause=17;text="User busy", SIP;cause=486', 'Warning: 399 carrier "no"', "Retry-After: 5"];
  return [
    response(dialog, "100 Trying"),
    response(dialog, "180 Ringing", ['Alert-Info: <http://127.0.0.1/ring>;info="x"']),
    response(dialog, "183 Session Progress", reliable, FAR_SDP),
    response(dialog, "200 OK", timers, FAR_SDP),
    response(dialog, "302 Moved Temporarily", ["Diversion: <sip:1@127.0.0.1>;reason=unconditional"]),
    response(dialog, "401 Unauthorized", [
      `WWW-Authenticate: ${CHALLENGE}`,
      `WWW-Authenticate: ${CHALLENGE.replace("SHA-256", "MD5")}`,
    ]),
    response(dialog, "407 Proxy Authentication Required", [`Proxy-Authenticate: ${CHALLENGE}`]),
    response(dialog, "421 Extension Required", ["Require: timer"]),
    response(dialog, "422 Session Interval Too Small", ["Min-SE: 3600"]),
    response(dialog, "486 Busy Here", reason),
    response(dialog, "503 Service Unavailable", reason),
  ];
}

/** Messages of a far end in a call. */
export function requests(dialog: DialogText): string[] {
  const timers = ["Session-Expires: 1800;refresher=uas", "Min-SE: 90", "Supported: timer"];
  return [
    request(dialog, "101 INVITE", timers, FAR_SDP),
    request(dialog, "102 INVITE", timers),
    request(dialog, "103 UPDATE", timers, FAR_SDP),
    request(dialog, "104 UPDATE", timers),
    request(dialog, "101 ACK", [], FAR_SDP),
    request(dialog, "101 CANCEL"),
    request(dialog, "105 INFO", ["Info-Package: dtmf"], "Signal=5\r\nDuration=160\r\n"),
    request(dialog, "106 OPTIONS", ["Accept: application/sdp, */*;q=0.1"]),
    request(dialog, "107 PRACK", ["RAck: 988789 1 INVITE"]),
    request(dialog, "108 REFER", ["Refer-To: <sip:1@127.0.0.1?Replaces=a%3Bto-tag%3Db>", "Referred-By: <sip:x@127.0.0.1>"]),
    request(dialog, "109 NOTIFY", ["Event: refer;id=1", "Subscription-State: active;expires=60"], "SIP/2.0 100 Trying"),
    request(dialog, "110 MESSAGE", [], "hello"),
    request(dialog, "111 SUBSCRIBE", ["Event: presence", "Expires: 60"]),
    request(dialog, "112 BYE", ['Reason: Q.850;cause=16;text="Normal call clearing"']),
  ];
}

/** A call that does not exist. */
export const NO_CALL: DialogText = {
  via: "Via: SIP/2.0/UDP 127.0.0.1:5060;branch=z9hG4bKnobody;rport",
  from: 'From: "Ann" <sip:+15550001111@127.0.0.1>;tag=ours',
  to: "To: <sip:+447400123456@127.0.0.1>",
  callId: "Call-ID: 6e0c@127.0.0.1",
  cseq: "CSeq: 1 INVITE",
  target: "sip:trunk0@127.0.0.1:5060",
  carrierPort: 5060,
};
