import { expect, test } from "vitest";
import { checkPortRanges } from "./check-port-ranges.ts";

const debian: Record<string, string> = { "net/ipv4/ip_local_port_range": "32768\t60999", "net/ipv4/ip_local_reserved_ports": "" };
const kernel = (name: string) => debian[name] ?? null;
const exchange = {
  mediaPorts: { first: 30_000, last: 31_999 },
  rtpPorts: { first: 20_000, last: 21_999 },
  rtpengines: [],
  maxCalls: 300,
};

test("ranges below the ephemeral ports with room for three times the calls are ok", () => {
  expect(checkPortRanges(exchange, kernel).map(({ level }) => level)).toEqual(["ok", "ok"]);
});

test("a range that is too small for MAX_CALLS is a fault, one without spare ports a warning", () => {
  expect(checkPortRanges({ ...exchange, maxCalls: 1_001 }, kernel)[1]).toEqual({
    level: "fault",
    text: "RTP_PORTS has 2000 ports, and MAX_CALLS=1001 needs 2002; 6006 are better.",
  });
  expect(checkPortRanges({ ...exchange, maxCalls: 334 }, kernel)[1]).toMatchObject({ level: "warning" });
});

test("a range that overlaps with the ephemeral ports is a warning, unless all of it is reserved", () => {
  const high = { ...exchange, rtpPorts: { first: 40_000, last: 41_999 } };
  const found = checkPortRanges(high, kernel).at(-1);
  expect(found).toMatchObject({ level: "warning", text: expect.stringContaining("RTP_PORTS: the system gives port 40000") });
  const reserving = (reserved: string) => (name: string) => (name.endsWith("reserved_ports") ? reserved : kernel(name));
  expect(checkPortRanges(high, reserving("8080,40000-41999")).at(-1)).toMatchObject({ level: "ok" });
  expect(checkPortRanges(high, reserving("40000-41998")).at(-1)?.text).toContain("port 41999");
});

test("with rtpengine no port range is checked", () => {
  const rtpengines = [{ host: "10.0.0.7", port: 2223, weight: 1 }];
  expect(checkPortRanges({ ...exchange, rtpengines, mediaPorts: null, maxCalls: 5_000 }, kernel)).toEqual([]);
});

test("a missing port range for browsers' audio is a warning", () => {
  expect(checkPortRanges({ ...exchange, mediaPorts: null }, kernel)[0]).toMatchObject({
    level: "warning",
    text: expect.stringContaining("VOICE_MEDIA_PORTS is not set"),
  });
});
