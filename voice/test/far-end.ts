import { fieldOf, replyTo, type SocketCarrier, startSocketCarrier } from "./socket-carrier.ts";
import { dial, HELD, OFFER, type SipBench, trunkTo } from "./sip-bench.ts";

export const TRANSPORTS = ["udp", "tcp"] as const;
export type Transport = (typeof TRANSPORTS)[number];
/** What the carrier says to a message of ours. */
export type Say = (invite: string, far: SocketCarrier) => string | readonly string[];

export const contactOf = (far: SocketCarrier, transport: Transport, user = "c"): string =>
  `Contact: <sip:${user}@127.0.0.1:${far.port};transport=${transport}>`;
export const heard = (far: SocketCarrier, start: string): string[] => far.heard.filter((message) => message.startsWith(start));
export const statusOf = (far: SocketCarrier, cseq: string): string | undefined =>
  far.heard.find((message) => message.startsWith("SIP/") && fieldOf(message, "CSeq") === cseq)?.slice(8, 11);

/** A call to a carrier that says `onInvite` to the first INVITE and `onAck` once its answer is acknowledged. */
export async function callTo(
  ...[bench, transport, onInvite, onAck = () => [], more = {}]: [
    bench: SipBench,
    transport: Transport,
    onInvite: Say,
    onAck?: Say,
    more?: Parameters<typeof trunkTo>[1],
  ]
) {
  const refresh = (message: string): string => replyTo(message, "200 OK", { sdp: message.startsWith("INVITE ") ? OFFER : "" });
  let isAcknowledged = false;
  const far: SocketCarrier = await startSocketCarrier(transport, (message, send) => {
    const first = far.heard[0] ?? "";
    const say = (what: string | readonly string[]): void => [what].flat().forEach((text) => send(onWire(text, far, transport)));
    if (message === first || (message.startsWith("INVITE ") && fieldOf(message, "To") === fieldOf(first, "To"))) {
      say(onInvite(message, far));
    } else if (message.startsWith("ACK ") && !isAcknowledged) {
      isAcknowledged = true;
      say(onAck(far.heard.findLast((each) => each.startsWith("INVITE ")) ?? "", far));
    } else if (/^(BYE|OPTIONS|PRACK|UPDATE|INVITE) /.test(message)) send(refresh(message));
    else if (message.startsWith("CANCEL ")) {
      send(replyTo(message, "200 OK"));
      send(replyTo(first, "487 Request Terminated"));
    }
  });
  bench.add(() => far.close());
  const trunks = await bench.trunks([trunkTo(far.port, { transport, ...more })]);
  return { far, ...dial(trunks, { renegotiate: async () => HELD }) };
}

/** Requests of the carrier name their transport and want their answers back where they came from. */
export function onWire(text: string, far: SocketCarrier, transport: Transport): string {
  if (text.startsWith("SIP/")) return text;
  return text
    .replace("Contact: <sip:carrier@127.0.0.1:5060>", contactOf(far, transport))
    .replace("SIP/2.0/TCP", `SIP/2.0/${transport.toUpperCase()}`)
    .replace(";branch", ";rport;branch");
}

/** An answer with these headers beside its Contact. */
export const ok =
  (transport: Transport, ...headers: string[]): Say =>
  (invite, far) =>
    replyTo(invite, "200 OK", { headers: [contactOf(far, transport), ...headers], sdp: OFFER });
