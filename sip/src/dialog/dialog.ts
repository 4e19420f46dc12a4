import type { NameAddress, SipMessage, SipRequest, SipResponse, Via } from "../message/message.ts";
import { parseNameAddress, tagOf, withParameter } from "../message/name-address.ts";
import { parseSipUri } from "../message/uri.ts";

/** One end of a dialog. */
interface Party {
  readonly display: string;
  readonly uri: string;
  /** Empty for a peer of RFC 2543, which has none. */
  readonly tag: string;
}

/** A dialog (RFC 3261 §12), as plain JSON, so that a later process can end it. */
export interface Dialog {
  readonly callId: string;
  readonly local: Party;
  readonly remote: Party;
  /** The peer's Contact: the Request-URI of our requests. */
  readonly remoteTarget: string;
  /** URIs of the proxies that want to see our requests, the nearest first. */
  readonly routes: readonly string[];
  readonly localSequence: number;
  /** Null until the peer has sent a request. */
  readonly remoteSequence: number | null;
  readonly state: "early" | "confirmed";
}

/** The methods whose 2xx, or whose acceptance, replaces the remote target (RFC 3261 §12.2, RFC 3311 §5.1). */
const TARGET_REFRESHES: ReadonlySet<string> = new Set(["INVITE", "UPDATE"]);

/**
 * The dialog that a response to our INVITE creates (RFC 3261 §12.1.2).
 * @param fallbackTarget for carriers that send no Contact
 */
export function dialogOfResponse(invite: SipRequest, response: SipResponse, fallbackTarget: string): Dialog {
  return {
    callId: invite.callId,
    local: partyOf(invite.from),
    remote: partyOf(response.to),
    remoteTarget: contactOf(response) ?? fallbackTarget,
    routes: addressesOf(response, "record-route").toReversed(),
    localSequence: invite.cseq.number,
    remoteSequence: null,
    state: response.status < 200 ? "early" : "confirmed",
  };
}

/** The dialog that our response to the peer's INVITE creates (RFC 3261 §12.1.1). */
export function dialogOfRequest(invite: SipRequest, response: SipResponse): Dialog {
  return {
    callId: invite.callId,
    local: partyOf(response.to),
    remote: partyOf(invite.from),
    remoteTarget: contactOf(invite) ?? invite.from.uri,
    routes: addressesOf(invite, "record-route"),
    localSequence: 0,
    remoteSequence: invite.cseq.number,
    state: response.status < 200 ? "early" : "confirmed",
  };
}

/** Confirms an early dialog: the route set and Contact of the 2xx replace those of the 18x (RFC 3261 §13.2.2.4). */
export function confirmDialog(dialog: Dialog, response: SipResponse): Dialog {
  return {
    ...dialog,
    state: "confirmed",
    remoteTarget: contactOf(response) ?? dialog.remoteTarget,
    routes: response.headers.has("record-route") ? addressesOf(response, "record-route").toReversed() : dialog.routes,
  };
}

/** Identifies the dialog of a message of the peer: by Call-ID and tags alone, whatever its Request-URI (RFC 3261 §12.2.2). */
export function isOfDialog({ callId, local, remote }: Pick<Dialog, "callId" | "local" | "remote">, message: SipMessage): boolean {
  const [ours, theirs] = message.kind === "request" ? [message.to, message.from] : [message.from, message.to];
  return message.callId === callId && (tagOf(ours) ?? "") === local.tag && (tagOf(theirs) ?? "") === remote.tag;
}

/**
 * Takes the sequence number of a request in the dialog. Null if it is out of order: then the answer is 500 (RFC 3261 §12.2.2). ACK
 * and CANCEL have the number of their INVITE.
 */
export function receiveInDialog(dialog: Dialog, { cseq: { number, method } }: SipRequest): Dialog | null {
  if (method === "ACK" || method === "CANCEL") return dialog;
  if (dialog.remoteSequence !== null && number <= dialog.remoteSequence) return null;
  return { ...dialog, remoteSequence: number };
}

/** Applies the new Contact of a request that we accept with a 2xx, or of a 2xx to our request. */
export function refreshTarget(dialog: Dialog, message: SipMessage): Dialog {
  if (!TARGET_REFRESHES.has(message.cseq.method)) return dialog;
  if (message.kind === "response" && (message.status < 200 || message.status >= 300)) return dialog;
  return { ...dialog, remoteTarget: contactOf(message) ?? dialog.remoteTarget };
}

interface RequestParts {
  readonly method: string;
  /** With a new branch. */
  readonly via: Via;
  readonly headers?: SipRequest["headers"];
  readonly body?: Uint8Array;
}

/** A new request in the dialog, and the dialog with its sequence number (RFC 3261 §12.2.1.1). */
export function requestInDialog(dialog: Dialog, parts: RequestParts): { dialog: Dialog; request: SipRequest } {
  const number = dialog.localSequence + 1;
  return { dialog: { ...dialog, localSequence: number }, request: buildRequest(dialog, parts, number) };
}

/** The credentials that a 2xx's ACK repeats from its INVITE, because nobody may challenge it (RFC 3261 §13.2.2.4, §22.1). */
const CREDENTIALS = ["authorization", "proxy-authorization"];

/** The ACK of a 2xx to our INVITE. Send the same message again for each retransmission of the 2xx. */
export function ackInDialog(dialog: Dialog, invite: SipRequest, parts: Omit<RequestParts, "method">): SipRequest {
  const credentials = [...invite.headers].filter(([name]) => CREDENTIALS.includes(name));
  const headers = new Map([...credentials, ...(parts.headers ?? [])]);
  return buildRequest(dialog, { ...parts, method: "ACK", headers }, invite.cseq.number);
}

function buildRequest(dialog: Dialog, { method, via, headers, body }: RequestParts, number: number): SipRequest {
  const { uri, routes } = pathOf(dialog);
  return {
    kind: "request",
    method,
    uri,
    vias: [via],
    from: addressOf(dialog.local),
    to: addressOf(dialog.remote),
    callId: dialog.callId,
    cseq: { number, method },
    headers: new Map([
      ...(routes.length === 0 ? [] : [["route", routes.map((route) => `<${route}>`)] as const]),
      ["max-forwards", ["70"]],
      ...(headers ?? []),
    ]),
    body: body ?? new Uint8Array(),
  };
}

/**
 * The URI that our next request goes to: the nearest proxy, also a strict router that then stands in the Request-URI before loose ones
 * in Route (RFC 3261 §12.2.1.1).
 */
export function hopOf({ routes, remoteTarget }: Pick<Dialog, "routes" | "remoteTarget">): string {
  return routes[0] ?? remoteTarget;
}

/** A strict router, without `lr`, wants itself in the Request-URI and the target as the last Route (RFC 3261 §12.2.1.1). */
function pathOf({ remoteTarget, routes }: Dialog): { uri: string; routes: readonly string[] } {
  const [first, ...others] = routes;
  if (first === undefined || (parseSipUri(first)?.parameters.has("lr") ?? true))
    return { uri: withoutHeaders(remoteTarget), routes };
  return { uri: withoutHeaders(first), routes: [...others, remoteTarget] };
}

/** A Request-URI has none (RFC 3261 §19.1.1 table 1). */
function withoutHeaders(uri: string): string {
  return uri.replace(/\?.*$/, "");
}

function partyOf(address: NameAddress): Party {
  return { display: address.display, uri: address.uri, tag: tagOf(address) ?? "" };
}

function addressOf({ display, uri, tag }: Party): NameAddress {
  const address: NameAddress = { display, uri, parameters: new Map() };
  return tag === "" ? address : withParameter(address, "tag", tag);
}

function contactOf(message: SipMessage): string | null {
  return addressesOf(message, "contact")[0] ?? null;
}

/** The URIs of a header; malformed values are left out. */
function addressesOf(message: SipMessage, name: string): string[] {
  return (message.headers.get(name) ?? []).flatMap((value) => parseNameAddress(value)?.uri ?? []);
}
