import { describe, expect, it } from "vitest";
import { farAddress, mayResolveTo } from "./far-address.ts";

const PUBLIC = "198.51.100.1";

describe("a host in a far end's SDP", () => {
  it("may be an address, or a name in our own network", async () => {
    expect(await farAddress("10.0.0.5", PUBLIC)).toBe("10.0.0.5");
    expect(await farAddress("localhost", "127.0.0.1")).toBe("127.0.0.1");
  });

  it("is refused if it is an address of a family that we cannot send to, except for a hold", async () => {
    await expect(farAddress("2001:db8::5", PUBLIC)).rejects.toMatchObject({ code: "bad_sdp" });
    await expect(farAddress("203.0.113.5", "2001:db8::1")).rejects.toMatchObject({ code: "bad_sdp" });
    expect(await farAddress("::", PUBLIC)).toBe("::");
    expect(await farAddress("0.0.0.0", "2001:db8::1")).toBe("0.0.0.0");
  });

  it.each(["media.invalid", "203.0.113.500", "", "two words"])("is refused as %j", async (host) => {
    await expect(farAddress(host, PUBLIC)).rejects.toMatchObject({ code: "bad_sdp" });
  });

  it("is refused if we are public and the name resolves to loopback", async () => {
    await expect(farAddress("localhost", PUBLIC)).rejects.toMatchObject({ code: "bad_sdp" });
  });

  it.each([
    ["127.0.0.1", false],
    ["10.1.2.3", false],
    ["192.168.0.1", false],
    ["100.64.0.1", false],
    ["169.254.169.254", false],
    ["224.0.0.1", false],
    ["fd00::1", false],
    ["203.0.113.5", true],
    ["2001:db8::5", true],
  ])("may resolve to %s from a public address: %s", (address, may) => {
    expect(mayResolveTo(address, PUBLIC)).toBe(may);
  });

  it("never resolves to an unusable address", () => {
    expect(["169.254.169.254", "0.0.0.0", "10.1.2.3"].map((address) => mayResolveTo(address, "10.0.0.1"))).toEqual([
      false,
      false,
      true,
    ]);
  });
});
