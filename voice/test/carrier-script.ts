/** One step of a carrier that SIPp plays. */
export type Step =
  | { readonly recv: string; readonly optional?: boolean; readonly contains?: string }
  /** A response to the previous request, or to an earlier one, `to` ("1 INVITE"). */
  | { readonly reply: string; readonly sdp?: readonly string[]; readonly headers?: readonly string[]; readonly to?: string }
  | { readonly send: string; readonly cseq: number; readonly sdp?: readonly string[]; readonly headers?: readonly string[] }
  | { readonly answered: number; readonly contains?: string }
  | { readonly pauseMs: number };

const TAG = "tag=[pid]carrier[call_number]";
/** Their To has no tag yet. */
const OUTSIDE_DIALOGS = ["INVITE", "CANCEL"];
const CONTACT = "Contact: <sip:carrier@[local_ip]:[local_port]>";

/** A carrier's SDP. @param lines the media line and its attributes */
export function sdp(lines: readonly string[] = PCMU, address = "127.0.0.1"): readonly string[] {
  return ["v=0", "o=carrier 1 1 IN IP4 127.0.0.1", "s=-", `c=IN IP4 ${address}`, "t=0 0", ...lines];
}
export const PCMU = ["m=audio 40000 RTP/AVP 0 101", "a=rtpmap:0 PCMU/8000", "a=rtpmap:101 telephone-event/8000"];

/** Writes the steps as a SIPp scenario. */
export function carrierScript(steps: readonly Step[]): string {
  const requests = steps.map((_, index) => steps.slice(0, index).findLast((step) => "recv" in step)?.recv ?? "");
  const body = steps.map((step, index) => toXml(step, requests[index] ?? "")).join("\n");
  return `<?xml version="1.0" encoding="UTF-8"?>\n<scenario name="script">\n${body}\n</scenario>\n`;
}

/** @param request the method of the last received request; "" for none */
function toXml(step: Step, request: string): string {
  if ("pauseMs" in step) return `<pause milliseconds="${step.pauseMs}"/>`;
  if ("recv" in step) {
    const stores = request === "" ? STORED.map(([header, name]) => store(header, name)) : [];
    const optional = step.optional ? ' optional="true"' : "";
    const route = step.recv === "INVITE" ? ' rrs="true"' : "";
    return `<recv request="${step.recv}"${optional}${route}><action>${[...stores, ...check(step.contains)].join("")}</action></recv>`;
  }
  if ("answered" in step) {
    const trying = step.answered === 200 ? `<recv response="100" optional="true"/>` : "";
    return `${trying}<recv response="${step.answered}"><action>${check(step.contains).join("")}</action></recv>`;
  }
  const lines =
    "reply" in step
      ? [
          `SIP/2.0 ${step.reply}`,
          step.to === undefined ? "[last_Via:]" : "Via:[$via]",
          "[last_From:]",
          OUTSIDE_DIALOGS.includes(request) ? `[last_To:];${TAG}` : "[last_To:]",
          "[last_Call-ID:]",
          step.to === undefined ? "[last_CSeq:]" : `CSeq: ${step.to}`,
        ]
      : [
          `${step.send} [next_url] SIP/2.0`,
          "Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]",
          `From: <sip:carrier@[local_ip]>;${TAG}`,
          "To: [$caller]",
          "Call-ID: [call_id]",
          `CSeq: ${step.cseq} ${step.send}`,
          "Max-Forwards: 70",
        ];
  const message = [
    ...lines,
    CONTACT,
    ...(step.headers ?? []),
    ...(step.sdp === undefined ? [] : ["Content-Type: application/sdp"]),
    "Content-Length: [len]",
    "",
    ...(step.sdp ?? []),
    "",
  ];
  const answersInvite = "reply" in step && (request === "INVITE" || step.to !== undefined);
  const repeated = "reply" in step ? answersInvite && !step.reply.startsWith("1") : step.send !== "ACK";
  return `<send${repeated ? ' retrans="500"' : ""}><![CDATA[\n${message.join("\n")}\n]]></send>`;
}

/** Headers of the first INVITE to store, each with its variable. */
const STORED = [
  ["From:", "caller"],
  ["Via:", "via"],
] as const;

function store(header: string, name: string): string {
  return `<ereg regexp=".*" search_in="hdr" header="${header}" check_it="true" assign_to="${name}"/><log message="[$${name}]"/>`;
}

/** Fails the scenario unless the message matches. */
function check(text: string | undefined): string[] {
  if (text === undefined) return [];
  return [`<ereg regexp="${text}" search_in="msg" check_it="true" assign_to="seen"/><log message="[$seen]"/>`];
}
