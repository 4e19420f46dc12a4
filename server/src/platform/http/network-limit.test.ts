import { expect, test } from "vitest";
import { LIMITS } from "./limit-lanes.ts";
import { memoryNetworkLimit } from "./network-limit.ts";

/** Two attempts of one host. */
const twice = () => memoryNetworkLimit({ config: { limitsScale: 2 / LIMITS.lookup.points } }, "lookup");

/** How many of these consecutive attempts were admitted. */
async function admitted(addresses: readonly string[], limit = twice()): Promise<number> {
  let count = 0;
  for (const address of addresses)
    await limit.take(address).then(
      () => (count += 1),
      () => {},
    );
  return count;
}

const each = (count: number, address: (index: number) => string) => Array.from({ length: count }, (_, index) => address(index));

test.each([
  ["one address", each(9, () => "203.0.113.9"), 2],
  ["one address, written as IPv6 too", ["203.0.113.9", "203.0.113.9", "::ffff:203.0.113.9"], 2],
  ["the addresses of an IPv4 /24", each(90, (index) => `203.0.113.${index}`), 32],
  ["the addresses of a /64", each(9, (index) => `2001:db8:1:2::${index}`), 2],
  ["the /64 of a /56", each(90, (index) => `2001:db8:1:${(index % 256).toString(16)}::1`), 8],
  ["the /56 of a /48", each(90, (index) => `2001:db8:1:${index.toString(16)}00::1`), 32],
  ["strangers", each(9, (index) => `2001:db8:${index}::1`), 9],
])("%s share a limit", async (_who, addresses, max) => {
  expect(await admitted(addresses)).toBe(max);
});

test("refused attempts of one host do not count against its neighbours", async () => {
  const limit = twice();
  expect(
    await admitted(
      each(500, () => "203.0.113.9"),
      limit,
    ),
  ).toBe(2);
  expect(await admitted(["203.0.113.10"], limit)).toBe(1);
});

test("uncounted attempts count against no network", async () => {
  const limit = twice();
  expect(await admitted(["203.0.113.9", "203.0.113.9"], limit)).toBe(2);
  await limit.giveBack("203.0.113.9");
  expect(await admitted(["203.0.113.9"], limit)).toBe(1);
});

test("a host is near its limit when its own or its network's count is", async () => {
  const limit = twice();
  await admitted(
    each(20, (index) => `203.0.113.${index}`),
    limit,
  );
  expect([await limit.isNear("203.0.113.200"), await limit.isNear("203.0.114.1")]).toEqual([true, false]);
});

test("who is known by more than their network is counted alone, within one host's points", async () => {
  const limit = twice();
  expect(
    await admitted(
      each(9, () => "203.0.113.9"),
      limit,
    ),
  ).toBe(2);
  const alone = async (key: string) =>
    (await Promise.allSettled([1, 2, 3].map(() => limit.takeAlone(key)))).map(({ status }) => status);
  expect(await alone("browser")).toEqual(["fulfilled", "fulfilled", "rejected"]);
  expect(await alone("other")).toEqual(["fulfilled", "fulfilled", "rejected"]);
  expect(await admitted(["203.0.113.10"], limit)).toBe(1);
});
