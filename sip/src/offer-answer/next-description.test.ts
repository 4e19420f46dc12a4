import { expect, it } from "vitest";
import { nextDescription } from "./next-description.ts";

const sdp = (version: number, direction: string): string =>
  `v=0\r\no=farline 77 ${version} IN IP4 192.0.2.1\r\ns=-\r\na=${direction}\r\n`;

it("the version of our SDP rises by one with each change, and only then (RFC 3264 §8)", () => {
  const sent = ["recvonly", "recvonly", "sendrecv"].reduce(
    (all, direction) => [...all, nextDescription(all.at(-1) ?? "", sdp(1, direction))],
    [sdp(1, "sendrecv")],
  );
  expect(sent).toEqual([sdp(1, "sendrecv"), sdp(2, "recvonly"), sdp(2, "recvonly"), sdp(3, "sendrecv")]);
});

it("SDP without an origin is left alone", () => {
  expect(nextDescription(sdp(1, "sendrecv"), "v=0\r\n")).toBe("v=0\r\n");
});
