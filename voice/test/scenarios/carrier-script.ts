/** One step of a carrier that SIPp plays. */
export type Step =
  | { readonly recv: string; readonly optional?: boolean; readonly contains?: string }
  | Reply
  | Send
  | { readonly answered: number; readonly contains?: string }
  | { readonly pauseMs: number }
  /** Waits until our side has connected the sound. */
  | { readonly connected: true };

interface Parts {
  readonly sdp?: readonly string[];
  /** Of the body; null for none. */
  readonly type?: string | null;
  readonly headers?: readonly string[];
  /** The value of Contact; null for none. */
  readonly contact?: string | null;
  /** Of the carrier, added to its usual one; null for a carrier without a tag. */
  readonly tag?: string | null;
}

interface Reply extends Parts {
  readonly reply: string;
  /** The CSeq of the request that it answers, if not the last one received; of the first INVITE's transaction. */
  readonly to?: string;
  /** Short header names (RFC 3261 §7.3.3). */
  readonly compact?: true;
}

interface Send extends Parts {
  readonly send: string;
  readonly cseq: number;
  readonly uri?: string;
}

const TAG = "tag=[pid]carrier[call_number]";
/** Their To has no tag yet. */
const OUTSIDE_DIALOGS = ["INVITE", "CANCEL"];
const CONTACT = "<sip:carrier@[local_ip]:[local_port]>";
const SHORT_NAMES: Readonly<Record<string, string>> = {
  Via: "v",
  From: "f",
  To: "t",
  "Call-ID": "i",
  Contact: "m",
  "Content-Type": "c",
  "Content-Length": "l",
};
/** Enough on a busy machine. */
const CONNECTED_MS = 1_000;

/** A carrier's SDP. @param lines the media line and its attributes */
export function sdp(lines: readonly string[] = PCMU, address = "127.0.0.1"): readonly string[] {
  return ["v=0", "o=carrier 1 1 IN IP4 127.0.0.1", "s=-", `c=IN IP4 ${address}`, "t=0 0", ...lines];
}
export const PCMU = ["m=audio 40000 RTP/AVP 0 101", "a=rtpmap:0 PCMU/8000", "a=rtpmap:101 telephone-event/8000"];

/** Writes the steps as a SIPp scenario. @param connectedMs how long it takes until the sound is connected */
export function carrierScript(steps: readonly Step[], connectedMs = CONNECTED_MS): string {
  const requests = steps.map((_, index) => steps.slice(0, index).findLast((step) => "recv" in step)?.recv ?? "");
  const body = steps
    .map((step, index) => toXml("connected" in step ? { pauseMs: connectedMs } : step, requests[index] ?? ""))
    .join("\n");
  return `<?xml version="1.0" encoding="UTF-8"?>\n<scenario name="script">\n${body}\n</scenario>\n`;
}

/** @param request the method of the last received request; "" for none */
function toXml(step: Exclude<Step, { connected: true }>, request: string): string {
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
  const message = [...("reply" in step ? replyHead(step, request) : sendHead(step)), ...contentsOf(step)].join("\n");
  const answersInvite = "reply" in step && (request === "INVITE" || step.to !== undefined);
  const repeated = "reply" in step ? answersInvite && !step.reply.startsWith("1") : step.send !== "ACK";
  const text = "reply" in step && step.compact === true ? shorten(message) : message;
  return `<send${repeated ? ' retrans="500"' : ""}><![CDATA[\n${text}\n]]></send>`;
}

function replyHead({ reply, to, tag, compact }: Reply, request: string): string[] {
  const ofFirst = to !== undefined || compact === true;
  if (ofFirst)
    return [
      `SIP/2.0 ${reply}`,
      "Via:[$via]",
      "From:[$caller]",
      `To:[$called]${tagOf(tag)}`,
      "Call-ID: [call_id]",
      `CSeq: ${to ?? "1 INVITE"}`,
    ];
  const toLine = OUTSIDE_DIALOGS.includes(request) ? `[last_To:]${tagOf(tag)}` : "[last_To:]";
  return [`SIP/2.0 ${reply}`, "[last_Via:]", "[last_From:]", toLine, "[last_Call-ID:]", "[last_CSeq:]"];
}

function sendHead({ send, cseq, uri = "[next_url]", tag }: Send): string[] {
  return [
    `${send} ${uri} SIP/2.0`,
    "Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]",
    `From: <sip:carrier@[local_ip]>${tagOf(tag)}`,
    "To: [$caller]",
    "Call-ID: [call_id]",
    `CSeq: ${cseq} ${send}`,
    "Max-Forwards: 70",
  ];
}

function contentsOf({ sdp: body, type = "application/sdp", headers = [], contact = CONTACT }: Parts): string[] {
  const typed = body === undefined || type === null ? [] : [`Content-Type: ${type}`];
  const own = contact === null ? [] : [`Contact: ${contact}`];
  return [...own, ...headers, ...typed, "Content-Length: [len]", "", ...(body ?? []), ""];
}

function tagOf(tag: string | null | undefined): string {
  return tag === null ? "" : `;${TAG}${tag ?? ""}`;
}

function shorten(message: string): string {
  const shortened = (line: string, name: string): string => line.replace(name, SHORT_NAMES[name] ?? name);
  return message.replace(/^([A-Z][\w-]+):/gm, shortened);
}

/** Headers of the first INVITE to store, each with its variable. */
const STORED = [
  ["From:", "caller"],
  ["Via:", "via"],
  ["To:", "called"],
] as const;

function store(header: string, name: string): string {
  return `<ereg regexp=".*" search_in="hdr" header="${header}" check_it="true" assign_to="${name}"/><log message="[$${name}]"/>`;
}

/** Fails the scenario unless the message matches. */
function check(text: string | undefined): string[] {
  if (text === undefined) return [];
  return [`<ereg regexp="${text}" search_in="msg" check_it="true" assign_to="seen"/><log message="[$seen]"/>`];
}
