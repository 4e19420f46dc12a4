import { afterEach, describe, expect, it } from "vitest";
import { silentLog } from "../../../test/scripted-ports.ts";
import { trunkTo } from "../../../test/sip-bench.ts";
import { TrunkAddresses } from "./trunk-addresses.ts";

describe("the addresses of trunks", () => {
  const answers = new Map([
    ["sip.carrier.example", ["192.0.2.1", "192.0.2.2"]],
    ["media.carrier.example", ["192.0.2.9"]],
  ]);
  const addresses = new TrunkAddresses({
    log: silentLog,
    resolve: async ({ host }) => {
      const found = answers.get(host);
      if (found === undefined) throw new Error("not found");
      return found.map((address) => ({ transport: "UDP", address, port: 5060, domain: null }));
    },
  });
  afterEach(() => addresses.close());
  const named = trunkTo(5060, { host: "sip.carrier.example", redirectHosts: ["media.carrier.example", "203.0.113.7"] });
  const fixed = trunkTo(5060, { host: "203.0.113.9" });

  it("are those of its own host and redirect hosts, and stay if a later lookup fails", async () => {
    addresses.use([named, fixed]);
    expect(addresses.of(fixed)).toEqual(["203.0.113.9"]);
    const all = ["192.0.2.1", "192.0.2.2", "192.0.2.9", "203.0.113.7"];
    await expect.poll(() => addresses.of(named)).toEqual(all);
    expect(addresses.has("192.0.2.9")).toBe(true);
    expect(addresses.has("192.0.2.3")).toBe(false);
    answers.clear();
    addresses.use([named]);
    await expect.poll(() => addresses.has("203.0.113.9")).toBe(false);
    expect(addresses.of(named)).toEqual(all);
  });
});
