import pino from "pino";
import { afterEach, describe, expect, test, vi } from "vitest";
import { testContext } from "../../test/test-context.ts";
import { ManualClock } from "../../test/manual-clock.ts";
import { openDatabase } from "../platform/database/database.ts";
import type { PricePeriod } from "../rates/rates.ts";
import { PriceHistories, priceHistory } from "./published-history.ts";

const NOW = new Date("2026-11-26T12:00:00Z");
const day = (text: string): Date => new Date(`${text}T00:00:00Z`);

/** A period whose ordinary numbers cost these micro-dollars, lowest to highest. */
function period(from: string, prices: Partial<Record<string, readonly [bigint, bigint]>>): PricePeriod {
  return {
    ...{ deckId: from, name: from, from: day(from), until: null },
    prices: Object.entries(prices).flatMap(([numberType, range]) =>
      range === undefined
        ? []
        : [
            {
              ...{ countryCode: "GH", numberType, prefixes: 3, cost: { lowest: 1n, highest: 2n } },
              price: { lowest: range[0], highest: range[1] },
            },
          ],
    ),
  };
}
const flat = (micros: bigint): readonly [bigint, bigint] => [micros, micros];
const linesOf = (...periods: PricePeriod[]) => priceHistory(periods.toReversed(), NOW).lines;

describe("the prices of a country over time", () => {
  test("are listed by type, oldest first, once for each change, without costs", () => {
    expect(
      linesOf(
        period("2026-01-01", { landline: flat(300_000n), mobile: [310_000n, 320_000n] }),
        period("2026-02-01", { landline: flat(300_000n), mobile: flat(320_000n) }),
        period("2026-03-01", { landline: flat(280_000n), mobile: flat(320_000n) }),
      ),
    ).toEqual([
      {
        numberType: "mobile",
        steps: [
          { since: "2026-01-01T00:00:00.000Z", price: { lowest: "0.3100", highest: "0.3200" } },
          { since: "2026-02-01T00:00:00.000Z", price: { lowest: "0.3200", highest: "0.3200" } },
        ],
      },
      {
        numberType: "landline",
        steps: [
          { since: "2026-01-01T00:00:00.000Z", price: { lowest: "0.3000", highest: "0.3000" } },
          { since: "2026-03-01T00:00:00.000Z", price: { lowest: "0.2800", highest: "0.2800" } },
        ],
      },
    ]);
  });

  test("end with the active price: a scheduled one is not published", () => {
    const [line] = linesOf(period("2026-01-01", { mobile: flat(1_000n) }), period("2026-11-27", { mobile: flat(2_000n) }));
    expect(line?.steps).toHaveLength(1);
  });

  test("have gaps where calls were not sold, none before the first price, and no type that is no longer sold", () => {
    const lines = linesOf(
      period("2026-01-01", { landline: flat(1_000n) }),
      period("2026-02-01", { mobile: flat(1_000n) }),
      period("2026-03-01", {}),
      period("2026-04-01", { mobile: flat(1_000n), premium: flat(9_000n) }),
    );
    expect(lines.map(({ numberType, steps }) => [numberType, steps.map(({ price }) => price?.lowest ?? null)])).toEqual([
      ["mobile", ["0.0010", null, "0.0010"]],
    ]);
  });

  test("are the latest 24 of a line", () => {
    const months = Array.from({ length: 30 }, (_, at) =>
      period(new Date(Date.UTC(2024, at)).toISOString().slice(0, 10), { mobile: flat(BigInt(1_000 + at)) }),
    );
    const [line] = linesOf(...months);
    expect([line?.steps.length, line?.steps[0]?.since.slice(0, 7)]).toEqual([24, "2024-07"]);
  });
});

describe("while the database does not answer", () => {
  const log = pino({ level: "silent" });
  const handle = openDatabase("postgres://127.0.0.1:9/unused", 1, log);
  const clock = new ManualClock(NOW);
  afterEach(() => {
    vi.useRealTimers();
  });

  test("a failed read is repeated after a pause, and a good one is kept until the next deck", async () => {
    let isAway = true;
    const reads: string[] = [];
    const histories = new PriceHistories(testContext({ handle, clock, log }), async (_ctx, country) => {
      reads.push(country);
      if (isAway) throw new Error("away");
      return [period("2026-01-01", { mobile: flat(1_000n) })];
    });
    for (const country of ["GH", "GH", "IN"]) expect(await histories.of(country, "deck")).toBeNull();
    expect(reads).toEqual(["GH"]);
    isAway = false;
    clock.advance(10_000);
    expect((await histories.of("GH", "deck"))?.lines).toHaveLength(1);
    await histories.of("GH", "deck");
    await histories.of("GH", "next deck");
    expect(reads).toEqual(["GH", "GH", "GH"]);
  });

  test("a page waits a second at most, and other countries do not", async () => {
    vi.useFakeTimers();
    const read = vi.fn(() => new Promise<never>(() => undefined));
    const histories = new PriceHistories(testContext({ handle, clock, log }), read);
    const page = histories.of("GH", "deck");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await page).toBeNull();
    expect(await histories.of("IN", "deck")).toBeNull();
    expect(read).toHaveBeenCalledOnce();
  });
});
