import { generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { hostRules } from "@farline/contract/settings/value-kinds.ts";
import { afterEach, describe, expect, test } from "vitest";
import { freePort } from "../../test/free-port.ts";
import { testExchange, type TestExchange } from "../../test/test-exchange.ts";
import { Announcements } from "./announcements.ts";

const HOSTS = hostRules.schema.parse("10.0.0.0/16 .exchange.internal");
const { privateKey } = generateKeyPairSync("ed25519");
const MINUTE_MS = 60_000;
let nowMs = 1_800_000_000_000;

const at = (
  name: string,
  url: string | null,
  { key = privateKey, hosts = HOSTS }: { key?: KeyObject; hosts?: typeof HOSTS } = {},
) => new Announcements({ name, url: url === null ? null : new URL(url), hosts, signingKey: key }, () => nowMs);
const namesOf = (of: Announcements) => of.others.map(({ name, url }) => `${name} ${url.origin}`).toSorted();
const ownOf = (of: Announcements) => {
  const [own] = of.all().slice(-1);
  if (own === undefined) throw new Error("no announcement");
  return own;
};

describe("an announcement", () => {
  test("is passed on by others, and forgotten five minutes after it was signed", () => {
    const [a, b, c] = [
      at("a", "http://10.0.0.1:3006"),
      at("b", "http://10.0.0.2:3006"),
      at("c", "http://c.exchange.internal:3006"),
    ];
    a.take(c.all());
    b.take(a.all());
    c.take(b.all());
    expect(namesOf(b)).toEqual(["a http://10.0.0.1:3006", "c http://c.exchange.internal:3006"]);
    nowMs += 4 * MINUTE_MS;
    b.take(a.all());
    nowMs += 2 * MINUTE_MS;
    expect(namesOf(b)).toEqual(["a http://10.0.0.1:3006"]);
    b.take([...a.all(), ...c.all()]);
    expect(namesOf(b)).toHaveLength(2);
  });

  test("that was forged, changed, is too old, from the future or about oneself is passed over", () => {
    const a = at("a", "http://10.0.0.1:3006");
    const own = ownOf(at("b", "http://10.0.0.2:3006"));
    const signedOtherwise = sign(null, Buffer.from(`{"data":{"name":"b"}}`), privateKey).toString("base64");
    a.take([
      ...at("b", "http://10.0.0.2:3006", { key: generateKeyPairSync("ed25519").privateKey }).all(),
      { ...own, url: "http://10.0.0.66:3006" },
      { ...own, name: "c" },
      { ...own, at: own.at + 1 },
      { ...own, signature: signedOtherwise },
      { ...own, signature: "" },
      ...at("a", "http://10.0.0.66:3006").all(),
    ]);
    expect(namesOf(a)).toEqual([]);
    nowMs += 6 * MINUTE_MS;
    a.take([own]);
    expect(namesOf(a)).toEqual([]);
    nowMs -= 8 * MINUTE_MS;
    a.take([own]);
    expect(namesOf(a)).toEqual([]);
    nowMs += 2 * MINUTE_MS;
    a.take([own]);
    expect(namesOf(a)).toEqual(["b http://10.0.0.2:3006"]);
  });

  test("names an address that the rule allows, by the same protocol", () => {
    const signed = (url: string) => ({ ...ownOf(at("b", url)), url: new URL(url).origin });
    const taken = (url: string, own = "http://10.0.0.1:3006") => {
      const a = at("a", own);
      a.take([signed(url)]);
      return namesOf(a).length === 1;
    };
    for (const url of ["http://10.0.255.1:1", "http://b.exchange.internal", "http://x.y.exchange.internal:3006"])
      expect([url, taken(url)]).toEqual([url, true]);
    for (const url of [
      "http://10.1.0.1:3006",
      "http://evil.example",
      "http://exchange.internal",
      "http://evilexchange.internal",
      "https://10.0.0.2:3006",
      "http://[::ffff:a01:1]:3006",
      "http://127.0.0.1:3006",
    ])
      expect([url, taken(url)]).toEqual([url, false]);
    expect(taken("http://10.0.0.2:3006", "https://10.0.0.1")).toBe(false);
  });

  test("of an older time does not undo a newer one, and without a rule nothing is taken or announced", () => {
    const a = at("a", "http://10.0.0.1:3006");
    const before = ownOf(at("b", "http://10.0.0.2:3006"));
    nowMs += 1_000;
    a.take(at("b", "http://10.0.0.3:3006").all());
    a.take([before]);
    expect(namesOf(a)).toEqual(["b http://10.0.0.3:3006"]);
    const closed = at("a", "http://10.0.0.1:3006", { hosts: [] });
    closed.take([before]);
    expect([closed.all(), namesOf(closed), closed.isOpen]).toEqual([[], [], false]);
  });

  test("never fills the list beyond two hundred", () => {
    const a = at("a", "http://10.0.0.1:3006");
    for (let n = 0; n < 300; n += 1) a.take(at(`n${n}`, "http://10.0.0.2:3006").all());
    expect(namesOf(a)).toHaveLength(199);
    expect(a.all()).toHaveLength(200);
  });
});

test.each(["10.0.0.0", "10.0.0.0/0", "10.0.0.0/33", "300.0.0.0/8", "internal", ".", "*.internal", "0.0.0.0/0"])(
  "%s is no rule",
  (text) => {
    expect(hostRules.schema.safeParse(text).success).toBe(false);
  },
);

describe("exchanges of which one is in nobody's list", () => {
  const running: TestExchange[] = [];
  afterEach(async () => {
    for (const one of running.splice(0)) await one.close();
  });

  const shared = {
    signingKey: privateKey,
    tokenKeys: [new Uint8Array(32)] as const,
    nodeHosts: hostRules.schema.parse("127.0.0.0/8"),
  };

  async function started(name: string, nodes: ReadonlyMap<string, URL>): Promise<TestExchange> {
    const controlPort = Number(nodes.get(name)?.port);
    const exchange = await testExchange({ config: { ...shared, node: name, nodes, controlPort } });
    running.push(exchange);
    return exchange;
  }

  async function listed(...names: string[]): Promise<Map<string, URL>> {
    const ports = await Promise.all(names.map(() => freePort()));
    return new Map(names.map((name, index) => [name, new URL(`http://127.0.0.1:${ports[index]}`)]));
  }

  test("answer for its calls at once, and say that they do not know rather than that a call is over", async () => {
    const list = await listed("a", "c");
    const onlyA = new Map([...list].slice(0, 1));
    const a = await started("a", onlyA);
    const unknown = `v3:c.${"A".repeat(32)}`;
    await expect(a.telnyx.calls.retrieveStatus(unknown)).rejects.toMatchObject({ status: 503 });
    const c = await started("c", list);
    await expect(a.telnyx.calls.retrieveStatus(unknown)).rejects.toMatchObject({ status: 404 });
    await expect(c.telnyx.calls.retrieveStatus(`v3:a.${"A".repeat(32)}`)).rejects.toMatchObject({ status: 404 });
    expect((await a.telnyx.get<{ meta: object }>("/connections/1234567890/active_calls")).meta).not.toHaveProperty(
      "missing_nodes",
      ["c"],
    );
  });

  test("take an announcement only with the exchange's key and a genuine signature", async () => {
    const a = await started("a", await listed("a"));
    const genuine = new Announcements({
      name: "evil",
      url: new URL("http://127.0.0.9:1"),
      hosts: shared.nodeHosts,
      signingKey: privateKey,
    });
    const forged = new Announcements({
      ...{ name: "evil", url: new URL("http://127.0.0.9:1"), hosts: shared.nodeHosts },
      signingKey: generateKeyPairSync("ed25519").privateKey,
    });
    const post = (announcements: unknown, key: string) =>
      fetch(`http://127.0.0.1:${a.exchange.controlPort}/v2/nodes`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
        body: JSON.stringify({ announcements }),
      });
    const names = async (response: Response) =>
      ((await response.json()) as { announcements: { name: string }[] }).announcements.map(({ name }) => name);
    expect((await post(genuine.all(), "KEYwrong")).status).toBe(401);
    expect(await names(await post(forged.all(), "KEYtest"))).toEqual(["a"]);
    expect((await post([{ name: "evil" }], "KEYtest")).status).toBe(422);
    expect(await names(await post(genuine.all(), "KEYtest"))).toEqual(["evil", "a"]);
  });
});
