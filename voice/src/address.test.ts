import { describe, expect, it } from "vitest";
import { mayReach } from "./address.ts";

const PUBLIC = "198.51.100.1";

describe("an address that a far end chose", () => {
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
  ])("may be %s from a public address: %s", (address, may) => {
    expect(mayReach(address, PUBLIC)).toBe(may);
  });

  it("is never an unusable one", () => {
    expect(["169.254.169.254", "0.0.0.0", "10.1.2.3"].map((address) => mayReach(address, "10.0.0.1"))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it("is the machine itself only from there", () => {
    expect(["10.0.0.1", PUBLIC, "127.0.0.1", "::1"].map((from) => mayReach("127.0.0.2", from))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });
});
