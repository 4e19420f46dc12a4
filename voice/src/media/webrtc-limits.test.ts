import { Message } from "werift";
import { describe, expect, it } from "vitest";
import { localUfragOf, WebrtcLimits } from "./webrtc-limits.ts";

const BINDING = 1;
const [REQUEST, RESPONSE] = [0, 0x100];

function count(may: () => boolean, times: number): number {
  return Array.from({ length: times }, may).filter(Boolean).length;
}

function check(user: string, messageClass = REQUEST): Buffer {
  return new Message(BINDING, messageClass, Buffer.alloc(12), [
    ["PRIORITY", 1],
    ["USERNAME", user],
  ]).bytes;
}

describe("localUfragOf", () => {
  it("returns our half of a check's username", () => {
    expect(localUfragOf(check("ours:theirs"))).toBe("ours");
    expect(localUfragOf(check("ours"))).toBe("ours");
  });

  it("returns null for a response, a wrong cookie, a wrong length, a truncated packet and noise", () => {
    const good = check("ours:theirs");
    expect(localUfragOf(check("ours:theirs", RESPONSE))).toBeNull();
    expect(localUfragOf(Buffer.concat([good, Buffer.alloc(4)]))).toBeNull();
    for (let length = 0; length < good.length; length += 1) expect(localUfragOf(good.subarray(0, length))).toBeNull();
    const otherCookie = Buffer.from(good);
    otherCookie.writeUInt32BE(0, 4);
    expect(localUfragOf(otherCookie)).toBeNull();
    expect(localUfragOf(Buffer.alloc(1_280))).toBeNull();
  });
});

describe("the limits of a browser's port", () => {
  it("do not count other sources' checks against the browser's checks or audio", () => {
    const bounds = new WebrtcLimits();
    expect(count(() => bounds.mayCheck(false, 0), 10_000)).toBe(100);
    expect(count(() => bounds.mayCheck(true, 0), 100)).toBe(100);
    expect(count(() => bounds.mayHandshake(0), 10_000)).toBe(100);
    expect(count(() => bounds.mayReceiveMedia(0), 10_000)).toBe(500);
  });
});
