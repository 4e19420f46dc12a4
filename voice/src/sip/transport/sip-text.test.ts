import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { nextHop, readReason, summarize } from "./sip-text.ts";

const invite = [
  "INVITE sip:+447400123456@carrier.example:5070 SIP/2.0",
  "v: SIP/2.0/UDP 192.0.2.1:5060 ; branch=z9hG4bKabc;rport",
  "i: call-1",
  "CSeq: 12 INVITE",
  "",
  "v=0",
].join("\r\n");

describe("the summary of a SIP message", () => {
  it("reads requests and responses, including compact forms", () => {
    expect(summarize(invite)).toEqual({
      status: null,
      method: "INVITE",
      branch: "z9hG4bKabc",
      callId: "call-1",
      requestUri: "sip:+447400123456@carrier.example:5070",
    });
    expect(
      summarize("SIP/2.0 486 Busy Here\r\nVia: SIP/2.0/UDP a;branch=z9\r\nCall-ID: c\r\nCSeq: 1 INVITE\r\n\r\n"),
    ).toMatchObject({ status: 486, method: "INVITE", branch: "z9" });
  });

  it.each([
    ["no end of headers", invite.replace("\r\n\r\nv=0", "")],
    ["no Via", invite.replace(/^v:.*\r\n/m, "")],
    ["no CSeq", invite.replace(/^CSeq.*\r\n/m, "")],
    ["a CSeq of another method", invite.replace("12 INVITE", "12 BYE")],
    ["another protocol", invite.replace("SIP/2.0\r\nv:", "HTTP/1.1\r\nv:")],
  ])("is null for %s", (_, text) => {
    expect(summarize(text)).toBeNull();
  });

  test.prop([fc.string({ unit: "binary", maxLength: 2_000 })])("never throws", (text) => {
    expect(() => summarize(`${text}\r\n\r\n`)).not.toThrow();
  });
});

describe("the next hop of a request", () => {
  it.each([
    ["its Request-URI", invite, "sip:a@198.51.100.7", { host: "198.51.100.7", port: 5060 }],
    [
      "its first Route",
      invite.replace("CSeq", "Route: <sip:198.51.100.1:5080;lr>, <sip:other>\r\nCSeq"),
      "sip:a@far",
      { host: "198.51.100.1", port: 5080 },
    ],
    ["an IPv6 address", invite, "sip:a@[2001:db8::1]:5062;transport=udp", { host: "2001:db8::1", port: 5062 }],
  ])("is %s", (_, text, uri, hop) => {
    expect(nextHop(text, uri)).toEqual(hop);
  });

  it("is null for anything but a SIP address", () => {
    expect(nextHop(invite, "tel:+1")).toBeNull();
    expect(nextHop(invite, "sip:a@host:99999")).toBeNull();
  });
});

describe("the Reason header", () => {
  it("yields the Q.850 cause and the text", () => {
    expect(readReason(['SIP ;cause=200 ;text="Call completed elsewhere"', 'Q.850;text="Busy";cause=17'])).toEqual({
      text: "Call completed elsewhere",
      q850Cause: 17,
    });
    expect(readReason(["nonsense"])).toEqual({ text: null, q850Cause: null });
  });
});
