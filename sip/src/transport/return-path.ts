import type { ReceivedFields, SipRequest, SipResponse, Via } from "../message/message.ts";
import { defaultPort, type Target } from "./target.ts";

/** Adds the request's source to its topmost Via (RFC 3261 §18.2.1, RFC 3581 §4). Replaces what the sender claims about itself. */
export function stampSource(request: SipRequest, source: Pick<Target, "address" | "port">): SipRequest {
  const { vias, received } = stamp(request.vias, request.received, source);
  return { ...request, vias, ...(received === undefined ? {} : { received }) };
}

/** The same for a refusal of a request that could not be read. */
export function stampRefusal(refusal: SipResponse, source: Pick<Target, "address" | "port">): SipResponse {
  const { vias, received } = stamp(refusal.vias, refusal.repeats, source);
  return { ...refusal, vias, ...(received === undefined ? {} : { repeats: received }) };
}

function stamp(vias: readonly Via[], received: ReceivedFields | undefined, source: Pick<Target, "address" | "port">) {
  const [top, ...others] = vias;
  if (top === undefined) return { vias, received };
  const parameters = new Map(top.parameters);
  parameters.delete("received");
  const asked = parameters.has("rport");
  if (asked) parameters.set("rport", String(source.port));
  const isOther = asked || top.host.toLowerCase() !== source.address.toLowerCase();
  if (isOther) parameters.set("received", source.address);
  const [text = "", ...rest] = received?.vias ?? [];
  const plain = text.replace(/;[ \t]*received[ \t]*(=[^;]*)?(?=;|$)/gi, "");
  const ported = asked ? plain.replace(/;[ \t]*rport[ \t]*(=[^;]*)?(?=;|$)/i, `;rport=${source.port}`) : plain;
  const stamped = [isOther ? `${ported};received=${bracketed(source.address)}` : ported, ...rest];
  return { vias: [{ ...top, parameters }, ...others], received: received && { ...received, vias: stamped } };
}

function bracketed(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

/** Where a response goes on UDP, or on a stream whose connection is closed (RFC 3261 §18.2.2, RFC 3581 §4). */
export function returnTarget({ vias: [top] }: SipResponse, { transport, address }: Target): Target {
  const rport = transport === "UDP" ? Number(top?.parameters.get("rport") ?? 0) : 0;
  const port = rport > 0 ? rport : (top?.port ?? defaultPort(transport));
  return { transport, address, port, domain: null };
}
