import { describe, expect, it } from "vitest";
import type { SipResponse } from "./message.ts";
import { hasForeignBody, sdpOf } from "./multipart.ts";

const SDP = "v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\n";
const SDP_PART = `Content-Type: application/sdp\r\n\r\n${SDP}`;
const ISUP_PART =
  "Content-Type: application/isup;version=itu-t92+\r\nContent-Disposition: signal;handling=optional\r\n\r\n\x01\x00\r\n--x\x07";

function answer(type: string | null, body: string, more: Record<string, string> = {}): SipResponse {
  const headers = Object.entries({ ...(type === null ? {} : { "content-type": type }), ...more });
  return {
    kind: "response",
    status: 200,
    reason: "OK",
    vias: [],
    from: { display: "", uri: "sip:a", parameters: new Map() },
    to: { display: "", uri: "sip:b", parameters: new Map() },
    callId: "c",
    cseq: { number: 1, method: "INVITE" },
    headers: new Map(headers.map(([name, value]) => [name, [value]])),
    body: Buffer.from(body),
  };
}

function multipart(boundary: string, ...parts: string[]): string {
  return `${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join("")}--${boundary}--\r\n`;
}

describe("a session description is found", () => {
  it.each([
    ["as the body", answer("Application/SDP; charset=utf-8", SDP)],
    ["in a body without Content-Type", answer(null, SDP)],
    ["before ISUP", answer("multipart/mixed;boundary=b", multipart("b", SDP_PART, ISUP_PART))],
    ["after ISUP", answer('multipart/mixed; boundary="b b"', multipart("b b", ISUP_PART, SDP_PART))],
    ["after a preamble", answer("multipart/mixed;boundary=b", `preamble\r\n${multipart("b", SDP_PART)}`)],
    ["without the closing delimiter", answer("multipart/mixed;boundary=b", `--b\r\n${ISUP_PART}\r\n--b\r\n${SDP_PART}`)],
    ["after a part without headers", answer("multipart/mixed;boundary=b", multipart("b", "\r\ntext", SDP_PART))],
    ["after an empty part", answer("multipart/mixed;boundary=b", `--b\r\n${multipart("b", SDP_PART)}`)],
    [
      "as the last alternative",
      answer("multipart/alternative;boundary=b", multipart("b", SDP_PART.replace("- 1", "- 9"), SDP_PART)),
    ],
    [
      "in an inner multipart whose boundary begins with the outer one",
      answer(
        "multipart/mixed;boundary=b",
        multipart("b", ISUP_PART, `Content-Type: multipart/alternative;boundary=b2\r\n\r\n${multipart("b2", SDP_PART)}`),
      ),
    ],
  ])("%s", (_where, message) => {
    expect(sdpOf(message)?.trimEnd()).toBe(SDP.trimEnd());
    expect(hasForeignBody(message)).toBe(false);
  });
});

describe("no session description is found", () => {
  const nested = (depth: number): string =>
    depth === 0
      ? SDP_PART
      : `Content-Type: multipart/mixed;boundary=n${depth}x\r\n\r\n${multipart(`n${depth}x`, nested(depth - 1))}`;
  it.each([
    ["in ISUP alone", answer("multipart/mixed;boundary=b", multipart("b", ISUP_PART))],
    ["without a boundary", answer("multipart/mixed", multipart("b", SDP_PART))],
    [
      "with a boundary of 71 characters",
      answer(`multipart/mixed;boundary=${"b".repeat(71)}`, multipart("b".repeat(71), SDP_PART)),
    ],
    ["nested twice", answer("multipart/mixed;boundary=b", multipart("b", nested(2)))],
    [
      "behind twenty parts",
      answer("multipart/mixed;boundary=b", multipart("b", ...Array.from({ length: 20 }, () => "\r\nx"), SDP_PART)),
    ],
    ["in base64", answer("multipart/mixed;boundary=b", multipart("b", `Content-Transfer-Encoding: base64\r\n${SDP_PART}`))],
    ["for early media of a server", answer("application/sdp", SDP, { "content-disposition": "early-session" })],
    ["in another type", answer("text/plain", SDP)],
  ])("%s", (_where, message) => {
    expect(sdpOf(message)).toBeNull();
    expect(hasForeignBody(message)).toBe(true);
  });

  it("in an empty body, which is not foreign", () => {
    expect(sdpOf(answer("application/sdp", ""))).toBeNull();
    expect(hasForeignBody(answer("application/sdp", ""))).toBe(false);
  });

  it("in a body of optional handling, which is not foreign", () => {
    expect(hasForeignBody(answer("text/plain", "x", { "content-disposition": "render;handling=optional" }))).toBe(false);
  });
});
