import { fc, test } from "@fast-check/vitest";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { parseSipUri } from "../message/uri.ts";
import { destinationOf, type NaptrRecord, orderSrv, orderTargets, srvName } from "./order-targets.ts";
import { type Dns, Resolver } from "./resolver.ts";

const srv = (name: string, priority = 0, weight = 0, port = 5060) => ({ name, port, priority, weight });

describe("the destination of a URI", () => {
  it.each([
    ["sip:a@b.example", { host: "b.example", port: null, transport: "UDP" }],
    ["sip:a@b.example:5070;transport=TCP", { host: "b.example", port: 5070, transport: "TCP" }],
    ["sip:b.example;transport=tls", { host: "b.example", port: null, transport: "TLS" }],
    ["sips:b.example", { host: "b.example", port: null, transport: "TLS" }],
    ["sips:b.example;transport=tcp", { host: "b.example", port: null, transport: "TLS" }],
    ["sip:a@b.example;maddr=192.0.2.1", { host: "192.0.2.1", port: null, transport: "UDP" }],
    ["sip:b.example;transport=ws", null],
    ["sips:b.example;transport=udp", null],
  ])("%s", (uri, expected) => {
    const parsed = parseSipUri(uri);
    expect(parsed && destinationOf(parsed)).toEqual(expected);
  });

  it("has SRV records of its transport", () => {
    const at = { host: "b.example", port: null };
    expect((["UDP", "TCP", "TLS"] as const).map((transport) => srvName({ ...at, transport }))).toEqual([
      "_sip._udp.b.example",
      "_sip._tcp.b.example",
      "_sips._tcp.b.example",
    ]);
  });
});

describe("the order of SRV records", () => {
  const records = fc
    .array(fc.tuple(fc.nat(3), fc.nat(5)), { maxLength: 8 })
    .map((list) => list.map(([p, w], i) => srv(`h${i}`, p, w)));
  test.prop([records, fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true }))])(
    "has each record once, by rising priority",
    (list, numbers) => {
      const ordered = orderSrv(list, () => numbers.next().value ?? 0);
      expect(ordered.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual(list);
      const priorities = ordered.map(({ priority }) => priority);
      expect(priorities).toEqual(priorities.toSorted((a, b) => a - b));
    },
  );

  it("shares calls by weight, and gives weight 0 a small chance", () => {
    const list = [srv("heavy", 1, 60), srv("light", 1, 20), srv("idle", 1, 0), srv("spare", 2, 0)];
    const first = Array.from({ length: 810 }, (_, draw) => orderSrv(list, () => draw / 810)[0]?.name);
    const count = (name: string) => first.filter((each) => each === name).length;
    expect([count("heavy"), count("light"), count("idle"), count("spare")]).toEqual([600, 200, 10, 0]);
  });
});

it("targets are listed once, with the domain that a certificate must name", () => {
  const hosts = [
    { port: 5061, addresses: ["192.0.2.1", "192.0.2.2"] },
    { port: 5061, addresses: ["192.0.2.2"] },
  ];
  expect(orderTargets({ host: "b.example", port: null, transport: "TLS" }, hosts)).toEqual([
    { transport: "TLS", address: "192.0.2.1", port: 5061, domain: "b.example" },
    { transport: "TLS", address: "192.0.2.2", port: 5061, domain: "b.example" },
  ]);
});

describe("the resolver", () => {
  function resolver(records: ReturnType<typeof srv>[] | Error, addresses: Record<string, string[]>) {
    const dns = {
      srv: vi.fn<Dns["srv"]>(() => (records instanceof Error ? Promise.reject(records) : Promise.resolve(records))),
      addresses: vi.fn<Dns["addresses"]>((host) =>
        addresses[host] === undefined ? Promise.reject(new Error("ENOTFOUND")) : Promise.resolve(addresses[host]),
      ),
    };
    return { dns, resolver: new Resolver({ family: 4, dns, random: () => 0 }) };
  }
  const udp = { host: "b.example", port: null, transport: "UDP" } as const;
  const at = (address: string, port: number) => ({ transport: "UDP", address, port, domain: null });

  it("follows SRV records, skips hosts without an address, and asks once while they hold", async () => {
    const found = resolver([srv("second", 2), srv("lost", 1), srv("first", 1, 0, 5080)], {
      first: ["192.0.2.1", "192.0.2.2"],
      second: ["192.0.2.3"],
    });
    const expected = [at("192.0.2.1", 5080), at("192.0.2.2", 5080), at("192.0.2.3", 5060)];
    expect(await found.resolver.resolve(udp)).toEqual(expected);
    expect(await found.resolver.resolve(udp)).toEqual(expected);
    expect(found.dns.srv).toHaveBeenCalledOnce();
    expect(found.dns.srv).toHaveBeenCalledWith("_sip._udp.b.example");
  });

  it.each([
    ["there is none", []],
    ["the query fails", new Error("SERVFAIL")],
  ])("takes the host's addresses and the usual port if SRV is asked for and %s", async (_why, records) => {
    expect(await resolver(records, { "b.example": ["192.0.2.9"] }).resolver.resolve(udp)).toEqual([at("192.0.2.9", 5060)]);
  });

  it("asks for no SRV records where a port or an address is configured", async () => {
    const { dns, resolver: asked } = resolver([srv("other")], { "b.example": ["192.0.2.9"] });
    expect(await asked.resolve({ ...udp, port: 5070 })).toEqual([at("192.0.2.9", 5070)]);
    expect(await asked.resolve({ ...udp, host: "192.0.2.7" })).toEqual([at("192.0.2.7", 5060)]);
    expect(dns.srv).not.toHaveBeenCalled();
  });

  it("throws if nothing is found, or the host offers no SIP, and asks again the next time", async () => {
    const { dns, resolver: asked } = resolver([], {});
    await expect(asked.resolve(udp)).rejects.toThrow("No address of b.example was found.");
    await expect(asked.resolve(udp)).rejects.toThrow("b.example");
    expect(dns.srv).toHaveBeenCalledTimes(2);
    await expect(resolver([srv("")], { "b.example": ["192.0.2.9"] }).resolver.resolve(udp)).rejects.toThrow("b.example");
  });

  describe("chooses a transport", () => {
    const naptr = (service: string, order: number, more: Partial<NaptrRecord> = {}): NaptrRecord => ({
      ...{ service, order, preference: 0, flags: "s", replacement: `${service}.b.example` },
      ...more,
    });
    const asked = (records: NaptrRecord[] | Error, known: readonly string[]) => {
      const dns: Dns = {
        naptr: async () => {
          if (records instanceof Error) throw records;
          return records;
        },
        srv: async (name) => {
          if (!known.includes(name)) throw Object.assign(new Error("none"), { code: "ENODATA" });
          return [srv("host")];
        },
        addresses: async () => ["192.0.2.9"],
      };
      return { dns, resolver: new Resolver({ family: 4, dns }) };
    };
    const all = ["SIP+D2U.b.example", "SIP+D2T.b.example", "SIPS+D2T.b.example", "_sip._tcp.b.example"];

    it.each([
      ["the first by order", [naptr("SIP+D2U", 2), naptr("SIPS+D2T", 1)], all, "TLS SIPS+D2T.b.example"],
      [
        "the first by preference",
        [
          naptr("SIP+D2U", 1, { preference: 2 }),
          naptr("sip+d2t", 1, { preference: 1, flags: "S", replacement: "SIP+D2T.b.example" }),
        ],
        all,
        "TCP SIP+D2T.b.example",
      ],
      [
        "past one without SRV records",
        [naptr("SIPS+D2T", 1), naptr("SIP+D2U", 2)],
        ["SIP+D2U.b.example"],
        "UDP SIP+D2U.b.example",
      ],
      [
        "past services and flags that it does not know",
        [naptr("SIP+D2W", 1), naptr("SIP+D2U", 2, { flags: "a" }), naptr("E2U+sip", 0)],
        all,
        "TCP _sip._tcp.b.example",
      ],
      ["by SRV records alone", [], all, "TCP _sip._tcp.b.example"],
      ["by SRV records if NAPTR cannot be asked for", new Error("SERVFAIL"), all, "TCP _sip._tcp.b.example"],
      ["by nothing", [], [], "none"],
    ])("%s", async (_, records, known, expected) => {
      const chosen = await asked(records, known).resolver.chooseService("b.example");
      expect(chosen === null ? "none" : `${chosen.transport} ${chosen.service}`).toBe(expected);
    });

    it("and finds it at the name that NAPTR gave, with the host's own certificate; the choice outlives DNS", async () => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
      onTestFinished(() => void vi.useRealTimers());
      const { dns, resolver: found } = asked([naptr("SIPS+D2T", 1)], all);
      const chosen = await found.chooseService("b.example");
      const targets = await found.resolve({ host: "b.example", port: null, ...(chosen ?? { transport: "UDP" }) });
      expect(targets).toEqual([{ transport: "TLS", address: "192.0.2.9", port: 5060, domain: "b.example" }]);
      Object.assign(dns, { naptr: () => Promise.reject(new Error("SERVFAIL")) });
      await vi.advanceTimersByTimeAsync(3_600_000);
      expect(await found.chooseService("b.example")).toEqual(chosen);
    });
  });

  describe("while time passes", () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
    afterEach(() => void vi.useRealTimers());

    it.each([
      [null, 300],
      [60, 60],
      [0, 5],
      [86_400, 300],
    ])("keeps an answer of %s s for %i s", async (ttl, seconds) => {
      const { dns, resolver: asked } = resolver([], { "b.example": ["192.0.2.9"] });
      Object.assign(dns, { ttlSeconds: async () => ttl });
      await asked.resolve(udp);
      await vi.advanceTimersByTimeAsync(seconds * 1_000 - 1);
      await asked.resolve(udp);
      expect(dns.addresses).toHaveBeenCalledTimes(1);
      await vi.advanceTimersByTimeAsync(1);
      await asked.resolve(udp);
      expect(dns.addresses).toHaveBeenCalledTimes(2);
    });

    it.each<[string, (dns: { srv: Dns["srv"]; addresses: Dns["addresses"] }) => void]>([
      [
        "fails",
        (dns) =>
          Object.assign(dns, {
            srv: () => Promise.reject(new Error("SERVFAIL")),
            addresses: () => Promise.reject(new Error("EAI_AGAIN")),
          }),
      ],
      ["says nothing", (dns) => Object.assign(dns, { srv: () => new Promise(() => undefined) })],
      ["no longer knows SRV records", (dns) => Object.assign(dns, { srv: () => Promise.reject(new Error("SERVFAIL")) })],
    ])("uses old addresses for a day while DNS %s, and does not ask for each call", async (_, breakDns) => {
      const { dns, resolver: asked } = resolver([srv("first", 1, 0, 5080)], { first: ["192.0.2.1"], "b.example": ["192.0.2.9"] });
      const old = [at("192.0.2.1", 5080)];
      expect(await asked.resolve(udp)).toEqual(old);
      breakDns(dns);
      await vi.advanceTimersByTimeAsync(3_600_000);
      const found = asked.resolve(udp);
      await vi.advanceTimersByTimeAsync(500);
      expect(await found).toEqual(old);
    });

    it("uses old addresses of one of several hosts that cannot be asked for", async () => {
      const { dns, resolver: asked } = resolver([srv("first", 1), srv("second", 2)], {
        first: ["192.0.2.1"],
        second: ["192.0.2.2"],
      });
      await asked.resolve(udp);
      const addresses = async (host: string): Promise<string[]> => {
        if (host === "first") throw Object.assign(new Error("EAI_AGAIN"), { code: "EAI_AGAIN" });
        return ["192.0.2.2"];
      };
      Object.assign(dns, { addresses });
      await vi.advanceTimersByTimeAsync(3_600_000);
      expect(await asked.resolve(udp)).toEqual([at("192.0.2.1", 5060), at("192.0.2.2", 5060)]);
    });

    it("does without one of several hosts that is gone", async () => {
      const { dns, resolver: asked } = resolver([srv("first", 1), srv("second", 2)], {
        first: ["192.0.2.1"],
        second: ["192.0.2.2"],
      });
      await asked.resolve(udp);
      const gone = Object.assign(new Error("ENOTFOUND"), { code: "ENOTFOUND" });
      Object.assign(dns, { addresses: async (host: string) => (host === "first" ? Promise.reject(gone) : ["192.0.2.2"]) });
      await vi.advanceTimersByTimeAsync(300_000);
      expect(await asked.resolve(udp)).toEqual([at("192.0.2.2", 5060)]);
    });

    it("asks again soon for SRV records that it could not ask for at first", async () => {
      const { dns, resolver: asked } = resolver(new Error("SERVFAIL"), { "b.example": ["192.0.2.9"], first: ["192.0.2.1"] });
      expect(await asked.resolve(udp)).toEqual([at("192.0.2.9", 5060)]);
      Object.assign(dns, { srv: async () => [srv("first", 1, 0, 5080)] });
      await vi.advanceTimersByTimeAsync(10_000);
      expect(await asked.resolve(udp)).toEqual([at("192.0.2.1", 5080)]);
    });

    it("keeps an answer about several hosts no longer than the first of them", async () => {
      const { dns, resolver: asked } = resolver([srv("first"), srv("second")], { first: ["192.0.2.1"], second: ["192.0.2.2"] });
      Object.assign(dns, { ttlSeconds: async (host: string) => (host === "second" ? 30 : 3_600) });
      await asked.resolve(udp);
      await vi.advanceTimersByTimeAsync(29_999);
      await asked.resolve(udp);
      expect(dns.srv).toHaveBeenCalledTimes(1);
      await vi.advanceTimersByTimeAsync(1);
      await asked.resolve(udp);
      expect(dns.srv).toHaveBeenCalledTimes(2);
    });

    it("drops addresses that nobody has confirmed for a day", async () => {
      const { dns, resolver: asked } = resolver([], { "b.example": ["192.0.2.9"] });
      await asked.resolve(udp);
      Object.assign(dns, { addresses: () => Promise.reject(new Error("ENOTFOUND")) });
      await vi.advanceTimersByTimeAsync(86_400_000);
      await expect(asked.resolve(udp)).rejects.toThrow("b.example");
    });

    it("takes new addresses once they are there", async () => {
      const { dns, resolver: asked } = resolver([], { "b.example": ["192.0.2.9"] });
      await asked.resolve(udp);
      Object.assign(dns, { addresses: async () => ["192.0.2.10"] });
      await vi.advanceTimersByTimeAsync(300_000);
      expect(await asked.resolve(udp)).toEqual([at("192.0.2.10", 5060)]);
    });
  });
});
