import type { SipRequest, SipResponse } from "../message/message.ts";
import { defaultPort, type Target } from "./target.ts";

/** Adds the request's source to its topmost Via (RFC 3261 §18.2.1, RFC 3581 §4). Replaces what the sender claims about itself. */
export function stampSource(request: SipRequest, source: Pick<Target, "address" | "port">): SipRequest {
  const [top, ...others] = request.vias;
  if (top === undefined) return request;
  const parameters = new Map(top.parameters);
  parameters.delete("received");
  const asked = parameters.has("rport");
  if (asked) parameters.set("rport", String(source.port));
  if (asked || top.host.toLowerCase() !== source.address.toLowerCase()) parameters.set("received", source.address);
  return { ...request, vias: [{ ...top, parameters }, ...others] };
}

/** Where a response goes on UDP, or on a stream whose connection is closed (RFC 3261 §18.2.2, RFC 3581 §4). */
export function returnTarget({ vias: [top] }: SipResponse, { transport, address }: Target): Target {
  const rport = transport === "UDP" ? Number(top?.parameters.get("rport") ?? 0) : 0;
  const port = rport > 0 ? rport : (top?.port ?? defaultPort(transport));
  return { transport, address, port, domain: null };
}
