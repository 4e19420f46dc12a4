import { describe, expect, it } from "vitest";
import { farAddress } from "./far-address.ts";

const PUBLIC = "198.51.100.1";

describe("a host in a far end's SDP", () => {
  it("may be an address, or a name in our own network", async () => {
    expect(await farAddress("10.0.0.5", PUBLIC)).toBe("10.0.0.5");
    expect(await farAddress("localhost", "127.0.0.1")).toBe("127.0.0.1");
  });

  it("is spelt as the system spells the sources of packets", async () => {
    expect(await farAddress("2001:DB8:0:0::0005", "2001:db8::1")).toBe("2001:db8::5");
    expect(await farAddress("0:0:0:0:0:0:0:0", PUBLIC)).toBe("::");
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

  it.each(["127.0.0.1", "169.254.169.254", "224.0.0.1", "255.255.255.255", "0.0.0.1"])(
    "is refused as %s, where something of ours may listen",
    async (host) => {
      await expect(farAddress(host, PUBLIC)).rejects.toMatchObject({ code: "bad_sdp" });
    },
  );

  it.each(["::1", "::ffff:127.0.0.1", "fe80::1", "ff02::1"])("is refused as %s from an address in IPv6", async (host) => {
    await expect(farAddress(host, "2001:db8::1")).rejects.toMatchObject({ code: "bad_sdp" });
  });

  it("is refused if we are public and the name resolves to loopback", async () => {
    await expect(farAddress("localhost", PUBLIC)).rejects.toMatchObject({ code: "bad_sdp" });
  });
});
