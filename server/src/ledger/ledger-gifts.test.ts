import * as fc from "fast-check";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ledgerAccount } from "../../test/ledger-account.ts";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";
import { callChargeKey, callRefundKey, ledger } from "./ledger.ts";

const HISTORIES = 30;
const PAYER_HAS = 1_000n;

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await database.warmUp();
});
afterAll(() => database.close());

/** A beneficiary without other credit, and a payer. */
async function twoAccounts() {
  const { db } = database.handle;
  const [payer, beneficiary] = [await ledgerAccount(database.handle, PAYER_HAS), await ledgerAccount(database.handle)];
  return {
    payer,
    beneficiary,
    /** @returns the gift's id */
    async give(amountMicros: bigint): Promise<string> {
      const id = uuidv7();
      const keys = { key: `gift:${id}`, receivedKey: `received:${id}` };
      await ledger.giveCredit(db, {
        ...{ ...keys, customerId: payer.id, beneficiaryId: beneficiary.id, amountMicros, referenceId: id, description: "Gift" },
      });
      return id;
    },
    left: (id: string) => ledger.giftLeft(db, `received:${id}`),
    /** @returns what moved */
    async takeBack(id: string, amountMicros: bigint): Promise<bigint> {
      const { returnedMicros } = await ledger.returnGift(db, {
        ...{ key: `taken:${uuidv7()}`, returnedKey: `back:${uuidv7()}`, receivedKey: `received:${id}` },
        ...{ customerId: beneficiary.id, payerId: payer.id, amountMicros, referenceId: id, description: "Gift returned" },
      });
      return returnedMicros;
    },
    /** The bonus of a payment. @returns the payment's id */
    async bonus(amountMicros: bigint): Promise<string> {
      const referenceId = uuidv7();
      const posting = {
        key: `bonus:${referenceId}`,
        customerId: beneficiary.id,
        amountMicros,
        referenceId,
        description: "Bonus",
      };
      await ledger.credit(db, { ...posting, kind: "bonus" });
      return referenceId;
    },
    async returnBonus(referenceId: string, amountMicros: bigint): Promise<void> {
      const posting = { key: `returned:${referenceId}`, customerId: beneficiary.id, amountMicros, referenceId };
      await ledger.returnBonus(db, { ...posting, description: "Bonus taken back" });
    },
  };
}

describe("what is left of a gift", () => {
  test("is not held by a call", async () => {
    const { beneficiary, give, left, takeBack } = await twoAccounts();
    const gift = await give(20n);
    await beneficiary.hold(15n);
    expect(await left(gift)).toBe(5n);
    expect(await takeBack(gift, 20n)).toBe(5n);
    expect(await left(gift)).toBe(0n);
  });

  test("is not reduced by a later bonus that was taken back, and never includes one", async () => {
    const { beneficiary, give, left, bonus, returnBonus } = await twoAccounts();
    const gift = await give(20n);
    const payment = await bonus(5n);
    await beneficiary.call(8n);
    expect(await left(gift)).toBe(12n);
    await returnBonus(payment, 5n);
    expect(await left(gift)).toBe(12n);
    await bonus(30n);
    expect(await left(gift)).toBe(12n);
    await beneficiary.call(12n);
    expect(await left(gift)).toBe(0n);
  });

  test("is what a debt of the beneficiary has left of it", async () => {
    const { beneficiary, give, left } = await twoAccounts();
    await beneficiary.reverse("dispute", 15n);
    const gift = await give(20n);
    expect(await left(gift)).toBe(5n);
    await beneficiary.credit("top_up", 40n);
    expect(await left(gift)).toBe(5n);
    await beneficiary.reverse("dispute", 43n);
    expect(await left(gift)).toBe(2n);
  });

  test("is nothing after the account's credit was forfeited", async () => {
    const { beneficiary, give, left } = await twoAccounts();
    const gift = await give(20n);
    await ledger.forfeit(database.handle.db, {
      key: `closed:${beneficiary.id}`,
      customerId: beneficiary.id,
      description: "Closed",
    });
    expect(await left(gift)).toBe(0n);
  });
});

type Step =
  | { readonly do: "give"; readonly micros: bigint }
  | { readonly do: "bonus"; readonly micros: bigint }
  | { readonly do: "call"; readonly micros: bigint }
  | { readonly do: "refundCall"; readonly which: number }
  | { readonly do: "takeBack"; readonly which: number; readonly micros: bigint };

const micros = fc.bigInt({ min: 1n, max: 20n });
const which = fc.nat({ max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom("give" as const, "bonus" as const, "call" as const), micros }),
  fc.record({ do: fc.constant("refundCall" as const), which }),
  fc.record({ do: fc.constant("takeBack" as const), which, micros }),
);

/** One grant of bonus. */
interface Lot {
  readonly gift: string | null;
  readonly micros: bigint;
}
type Booked =
  | { readonly granted: Lot }
  | { readonly call: string; readonly spent: bigint }
  | { readonly returned: Lot; readonly back: bigint };

/** What remains of each grant by the rule: a call uses the oldest first, and a refunded one never happened. */
function remaining(history: readonly Booked[], refunded: ReadonlySet<string>): Map<Lot, bigint> {
  const lots = new Map<Lot, bigint>();
  for (const one of history) {
    if ("call" in one) {
      let rest = refunded.has(one.call) ? 0n : one.spent;
      for (const [lot, left] of lots) {
        const used = left < rest ? left : rest;
        lots.set(lot, left - used);
        rest -= used;
      }
    } else if ("returned" in one) lots.set(one.returned, (lots.get(one.returned) ?? 0n) - one.back);
    else lots.set(one.granted, one.granted.micros);
  }
  return lots;
}

const least = (a: bigint, b: bigint) => (a < b ? a : b);

test("several gifts, other bonus, calls and refunds in any order leave each gift its own part, oldest spent first", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), async (steps) => {
      const { payer, beneficiary, give, left, takeBack, bonus } = await twoAccounts();
      const history: Booked[] = [];
      const refunded = new Set<string>();
      let givenMicros = 0n;
      for (const one of steps) {
        const lots = remaining(history, refunded);
        const gifts = [...lots.keys()].filter(({ gift }) => gift !== null);
        if (one.do === "give") {
          history.push({ granted: { gift: await give(one.micros), micros: one.micros } });
          givenMicros += one.micros;
        } else if (one.do === "bonus") {
          await bonus(one.micros);
          history.push({ granted: { gift: null, micros: one.micros } });
        } else if (one.do === "call") {
          const spent = least(one.micros, (await beneficiary.money()).bonus);
          if (spent > 0n) history.push({ call: await beneficiary.call(spent), spent });
        } else if (one.do === "refundCall") {
          const calls = history.flatMap((entry) => ("call" in entry && !refunded.has(entry.call) ? [entry.call] : []));
          const call = calls[one.which];
          if (call === undefined) continue;
          await beneficiary.restore(callChargeKey(call), callRefundKey(call));
          refunded.add(call);
        } else {
          const lot = gifts[one.which];
          if (lot === undefined || lot.gift === null) continue;
          const back = await takeBack(lot.gift, one.micros);
          expect(back).toBe(least(one.micros, lots.get(lot) ?? 0n));
          history.push({ returned: lot, back });
          givenMicros -= back;
        }
        for (const [{ gift }, expected] of remaining(history, refunded))
          if (gift !== null) expect(await left(gift)).toBe(expected);
        expect((await payer.money()).balance).toBe(PAYER_HAS - givenMicros);
      }
    }),
    { numRuns: HISTORIES },
  );
});
