import type { NameAddress, SipRequest } from "../src/message/message.ts";

export function address(uri: string, tag?: string): NameAddress {
  return { display: "", uri, parameters: new Map(tag === undefined ? [] : [["tag", tag]]) };
}

let branches = 0;

/** A request of "us" to "carrier" with a branch of its own. */
export function request(method: string, more: Partial<SipRequest> = {}): SipRequest {
  branches += 1;
  const number = more.cseq?.number ?? 1;
  return {
    kind: "request",
    method,
    uri: "sip:+442079460000@carrier.example",
    vias: [{ transport: "UDP", host: "203.0.113.7", port: 5060, parameters: new Map([["branch", `z9hG4bK${branches}`]]) }],
    from: address("sip:us@carrier.example", "ours"),
    to: address("sip:+442079460000@carrier.example"),
    callId: "call-1",
    headers: new Map(),
    body: new Uint8Array(),
    ...more,
    cseq: { number, method },
  };
}
