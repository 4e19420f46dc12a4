import { sql } from "kysely";
import { DAY_MS } from "@farline/domain/durations.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newCustomer } from "../../test/new-customer.ts";
import { insertPastCalls } from "../../test/past-calls.ts";
import { insertPaid } from "../../test/worlds/call-world.ts";
import { DECK_TIME, DeckWorld } from "../../test/worlds/deck-world.ts";
import { openApprovals, resultOf } from "../operator/operator.ts";
import { operate, propose } from "../../test/operate.ts";

const LONDON = "+442079460958";
const GERMANY = "DE,49172-49174,Germany Mobile,0.05,60,60,,";
const WHY = { reason: "New prices" };
const FIVE_MINUTES_MS = 5 * 60 * 1000;

let world: DeckWorld;
beforeEach(async () => {
  world = await DeckWorld.start("live");
});
afterEach(() => world.close());

const list = (rate: string, prefixes: readonly number[] = [440, 441, 442, 443, 447]) =>
  prefixes.map((prefix) => `GB,${prefix},United Kingdom,${rate},1,1,,`);
const later = () => world.clock.advance(DAY_MS + FIVE_MINUTES_MS);
const bring = (rows: readonly string[], order: Parameters<DeckWorld["bring"]>[1] = { effective: "now" }) =>
  world.bring(rows, order);
/** Activates a first list, a day ago, at 5 cents a minute. */
async function begin(rows = list("0.05")) {
  await world.putInForce(rows);
  later();
}
async function called(calls: Partial<Parameters<typeof insertPastCalls>[1][number]> & { costMicros?: bigint } = {}) {
  const { id: customerId } = await newCustomer(world.database.handle);
  const { costMicros, ...call } = calls;
  const [id] = await insertPastCalls(world.database.handle.db, [
    { customerId, createdAt: DECK_TIME, durationMs: 60_000, ...call },
  ]);
  if (costMicros !== undefined)
    await sql`update call set carrier_cost_micros = ${costMicros} where id = ${id}`.execute(world.database.handle.db);
}
const kinds = ({ concerns }: { concerns: readonly { kind: string }[] }) => concerns.map(({ kind }) => kind);

describe("unusual prices wait for a second operator", () => {
  test("a list at a hundredth of the prices is proposed, and another operator activates it", async () => {
    await begin();
    const proposed = await bring(list("0.0005"));
    const { jumps, compared, medianRatios } = proposed.comparison;
    expect([jumps.length, medianRatios]).toEqual([compared, { cost: 10, sale: 142 }]);
    expect(proposed).toMatchObject({ activated: null, refusals: [], stored: { name: "carrier.csv" } });
    expect(proposed.concerns.map(({ text }) => text)).toEqual([
      `${compared} of ${compared} prices differ by more than half from carrier.csv.`,
      expect.stringMatching(/^\d+ prices are less than a tenth of those in carrier.csv, or .* lower: \+44\d* United Kingdom, /),
      "The median carrier's price is 0.01 times that in carrier.csv.",
      "The median customer's price is 0.142 times that in carrier.csv.",
    ]);
    await expect(world.confirm("grace")).rejects.toThrow("Another operator must confirm it.");
    const activated = await world.confirm();
    expect(activated.effectiveAt.getTime()).toBe(world.clock.now().getTime() + FIVE_MINUTES_MS);
    const { rows } = await sql<any>`select operator, action, detail from operation order by id desc limit 1`.execute(
      world.database.handle.db,
    );
    expect(rows).toMatchObject([{ operator: "ada", action: "activate-deck", detail: { proposed_by: "grace", jumps: compared } }]);
    expect(await openApprovals(world.as("ada"))).toEqual([]);
  });

  test("a stored list is checked when it is activated", async () => {
    await begin();
    const { stored, proposal } = await bring(list("0.0005"), {});
    expect(proposal).toBeNull();
    const order = { ...WHY, deck: stored?.id ?? "", at: null };
    const waiting = await propose(world.as("grace"), "activate-deck", order);
    expect(() => resultOf(waiting)).toThrow(/Nothing has changed yet\..*less than a tenth.*approvals confirm/);
    expect(await world.confirm()).toMatchObject({ deck: { id: stored?.id } });
  });

  test("a proposal is stale when another deck has come into force, or prices raise a new concern", async () => {
    await begin();
    await bring(list("0.0005"));
    await world.putInForce(list("0.051"));
    await expect(world.confirm()).rejects.toThrow("no longer matches the current state");
    later();
    await bring(list("0.03"));
    await called({ costMicros: 90_000n });
    await expect(world.confirm()).rejects.toThrow("no longer matches the current state");
  });

  test("the price of differently divided prefixes is compared by longest match", async () => {
    await begin();
    const finer = list("0.0005", [4420, 4421, 4422, 4423, 4424, 4425, 4426, 4427, 4428, 4429]);
    expect(kinds(await bring([...list("0.05", [440, 441, 443, 447]), ...finer]))).toContain("jumps");
  });

  test("one expensive destination that falls by more than half is enough, a cheap one is not", async () => {
    const many = Array.from({ length: 100 }, (_, at) => 44_200 + at);
    await begin([...list("0.05", many), "CU,53,Cuba,0.76,1,1,,", "DE,49,Germany,0.03,1,1,,"]);
    const with_ = (cuba: string, germany: string) => [
      ...list("0.05", many),
      `CU,53,Cuba,${cuba},1,1,,`,
      `DE,49,Germany,${germany},1,1,,`,
    ];
    const { concerns } = await bring(with_("0.08", "0.03"), {});
    expect(concerns.map(({ kind }) => kind)).toEqual(["slips"]);
    expect((await bring(with_("0.6", "0.012"), {})).concerns).toEqual([]);
  });

  test("one price among many at a hundredth is enough", async () => {
    const many = Array.from({ length: 100 }, (_, at) => 44_200 + at);
    await begin([...list("0.05", many), "GB,447,Mobile,0.05,1,1,,"]);
    const { concerns } = await bring([...list("0.05", many), "GB,447,Mobile,0.0005,1,1,,"]);
    expect(concerns.map(({ kind }) => kind)).toContain("slips");
  });

  test("small steps add up, within a day or over months, until a second operator confirms one", async () => {
    await begin();
    expect((await bring(list("0.036"))).activated).not.toBeNull();
    world.clock.advance(FIVE_MINUTES_MS);
    expect(kinds(await bring(list("0.026")))).toContain("median_cost");
    world.clock.advance(90 * DAY_MS);
    expect(kinds(await bring(list("0.0261")))).toContain("median_cost");
    await world.confirm();
    later();
    expect((await bring(list("0.02"))).activated).not.toBeNull();
  });

  test("one operator alone never gets prices below 0.7 times the confirmed ones, whatever the steps", async () => {
    await begin();
    let price = 0.05;
    for (const step of [0.9, 0.9, 0.9, 1.1, 0.9, 0.9]) {
      const next = price * step;
      const { activated } = await bring(list(next.toFixed(4)));
      if (activated !== null) price = next;
      later();
    }
    expect(price).toBeGreaterThanOrEqual(0.05 * 0.7);
  });

  test("ordinary changes need nobody else", async () => {
    await begin();
    expect((await bring(list("0.06"))).activated).not.toBeNull();
  });
});

describe("calls of the last 30 days", () => {
  test("a country loses the price of most of its calls", async () => {
    await begin([...list("0.05"), GERMANY]);
    await called();
    expect((await bring([GERMANY])).concerns).toContainEqual({
      kind: "countries",
      text: "Most calls of the last 30 days to these countries would have no price: United Kingdom.",
    });
  });

  test("a country would be sold below what carriers took for its calls, in their increments", async () => {
    await begin([...list("0.05"), GERMANY]);
    // 61 seconds sold by the second at 7 cents a minute cost two blocks of a minute at 4 cents.
    await called({ durationMs: 61_000, costMicros: 80_000n });
    await called({ durationMs: 60_000, destination: "+491731234567", countryCode: "DE", costMicros: 1_000n });
    const { concerns, comparison } = await bring([...list("0.049"), "DE,49172-49174,Germany Mobile,0.5,60,60,,"]);
    expect(comparison.traffic.after).toEqual({ costMicros: 580_000n, saleMicros: 70_150n + 700_000n });
    expect(concerns).toContainEqual({
      kind: "country_loss",
      text: "Calls to these countries would cost more than they bring in: United Kingdom (cost $0.08, sold for $0.07).",
    });
  });

  test("trunks' price lists say what calls cost, instead of what they cost in the past", async () => {
    await world.putInForce(list("0.05"), { trunk: "main" });
    await begin();
    await called({ costMicros: 1_000_000n });
    expect(kinds(await bring(list("0.049"), { effective: "now" }))).toEqual([]);
    await world.putInForce(list("0.2"), { trunk: "main" });
    later();
    expect(kinds(await bring(list("0.0501"), { effective: "now" }))).toEqual(["loss", "country_loss"]);
  });
});

describe("the first deck", () => {
  const aCustomerPays = async () => {
    const { db } = world.database.handle;
    await insertPaid(db, (await newCustomer(world.database.handle)).id, { dollars: 5, at: DECK_TIME });
  };

  test("of a new installation, which has one administrator and no customer who has paid, needs nobody", async () => {
    expect((await bring(list("0.05"))).activated).not.toBeNull();
  });

  test("of a trunk, or one whose start was cancelled before, is a first one too", async () => {
    const first = await bring(list("0.05"));
    await operate(world.as("grace"), "cancel-deck", { ...WHY, deck: first.stored?.id ?? "" });
    await aCustomerPays();
    expect(kinds(await bring(list("0.06")))).toEqual(["first"]);
    expect(kinds(await bring(list("0.06"), { trunk: "main", effective: "now" }))).toEqual(["first"]);
  });

  test("is confirmed by a second administrator as soon as there is one, although nobody has paid", async () => {
    const { db } = world.database.handle;
    const ada = sql`select id from operator where name = 'ada'`;
    await sql`insert into operator_password (operator_id, password_hash, secret, secret_key, last_step, created_at)
      values ((${ada}), 'x', '\\x00', 'x', 0, now())`.execute(db);
    await sql`update operator set trusted_from = ${new Date(DECK_TIME.getTime() + DAY_MS)} where name = 'ada'`.execute(db);
    expect((await world.bring(list("0.05"), { effective: "now", trunk: "main", dryRun: true })).concerns).toEqual([]);
    later();
    expect(kinds(await bring(list("0.05"), { effective: "now", trunk: "main" }))).toEqual(["first"]);
    expect(kinds(await bring(list("0.05")))).toEqual(["first"]);
  });

  test("is not compared by the few of its prefixes that another list has", async () => {
    await aCustomerPays();
    await world.putInForce(list("0.05", [440]), { trunk: "main" });
    later();
    expect(kinds(await bring([...list("0.05"), "DE,49,Germany,0.0005,1,1,,"]))).toEqual(["first"]);
  });

  test("has nothing to be compared with, so a second operator confirms it", async () => {
    await aCustomerPays();
    expect(kinds(await bring(list("0.05")))).toEqual(["first"]);
  });

  test("is compared with the costs over the trunks, and a trunk's with those of the selling deck", async () => {
    await aCustomerPays();
    await world.putInForce(list("0.05"), { trunk: "main" });
    later();
    expect(kinds(await bring(list("0.0005")))).toContain("slips");
    expect((await bring(list("0.052"))).activated).not.toBeNull();
    later();
    expect((await bring(list("0.049"), { trunk: "spare", effective: "now" })).activated).not.toBeNull();
    expect(kinds(await bring(list("0.0005"), { trunk: "other", effective: "now" }))).toContain("jumps");
  });
});

test("a deck is active five minutes later at the earliest, so that it can be cancelled; a roll-back is immediate", async () => {
  await begin();
  const { stored, activated } = await bring(list("0.06"));
  expect(activated?.effectiveAt.getTime()).toBe(world.clock.now().getTime() + FIVE_MINUTES_MS);
  const deckOf = async () => {
    await world.rates.refresh();
    return world.rates.quote(LONDON, "visitor")?.deckId;
  };
  const before = await deckOf();
  const order = { ...WHY, deck: stored?.id ?? "" };
  expect(await operate(world.as("grace"), "cancel-deck", order)).toEqual([activated?.effectiveAt]);
  later();
  expect(await deckOf()).toBe(before);
  await expect(operate(world.as("grace"), "cancel-deck", order)).rejects.toThrow("decks roll-back");
  await operate(world.as("grace"), "activate-deck", { ...order, at: null });
  expect(await deckOf()).toBe(before);
  later();
  expect(await deckOf()).toBe(stored?.id);
  await world.rollBack(null);
  expect(await deckOf()).toBe(before);
});
