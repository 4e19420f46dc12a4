import { sql } from "kysely";
import { DAY_MS } from "@farline/domain/durations.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newCampaign } from "../../../test/operate.ts";
import { PromotionWorld, type Person } from "../../../test/worlds/promotion-world.ts";
import { eraseRows } from "../../personal-data/erasure/erasure.store.ts";
import { grantPromo, releasePromo, reservePromo } from "../promotions.ts";

const DOLLAR = 1_000_000n;
/** A day's budget of four referrals; one network gets a tenth. */
const PROMOTIONS = { firstCallMicros: DOLLAR / 4n, referralMicros: 2n * DOLLAR, freeCreditPerDayMicros: 16n * DOLLAR };

let world: PromotionWorld;
afterEach(() => world.close());

const bonuses = (...people: Person[]) => Promise.all(people.map((one) => world.bonus(one)));
const erase = ({ id }: Person) => world.database.handle.db.transaction().execute((tx) => eraseRows(tx, id));

/** A payment with a code; resolves to the bonus, or the refusal. */
async function payWith(person: Person, code: string): Promise<{ paymentId: string; result: bigint | string }> {
  const paymentId = await world.pay(person, 20);
  const order = {
    paymentId,
    customerId: person.id,
    typed: code,
    chargeMicros: 20n * DOLLAR,
    packageId: null,
    now: world.clock.now(),
  };
  const result = await world.database.handle.db
    .transaction()
    .execute((tx) => reservePromo(tx, world.ctx.config, order))
    .then((promo) => ("bonusMicros" in promo ? promo.bonusMicros : "held"))
    .catch((error: Error) => error.message);
  return { paymentId, result };
}

async function people(count: number, given: Parameters<PromotionWorld["signUp"]>[0] = {}): Promise<Person[]> {
  const signed: Person[] = [];
  for (let i = 0; i < count; i++) signed.push(await world.signUp(given));
  return signed;
}

/** One after another. */
async function payEach(code: string, payers: readonly Person[]): Promise<(bigint | string)[]> {
  const results: (bigint | string)[] = [];
  for (const one of payers) results.push((await payWith(one, code)).result);
  return results;
}

describe("a customer who returns after an erasure gets no second gift", () => {
  beforeEach(async () => {
    world = await PromotionWorld.start();
  });

  test("no first call with the same mailbox, browser or network", async () => {
    const ada = await world.signUp({ email: "ada@example.com", network: "198.51.100.x" });
    await world.prove(ada);
    await world.runJobs();
    expect(await world.bonus(ada)).toBe(0.25);
    await erase(ada);
    const back = [
      await world.signUp({ email: "Ada@example.com" }),
      await world.signUp({ browser: ada.browser }),
      await world.signUp({ network: "198.51.100.x" }),
    ];
    await world.prove(...back);
    await world.runJobs();
    expect(await bonuses(...back)).toEqual([0, 0, 0]);
    const refusals = await Promise.all(back.map((one) => world.refusal("first_call", one)));
    expect(refusals).toEqual(["same_address", "same_browser", "same_network"]);
  });

  test("no first call with an address that the account had earlier", async () => {
    const ada = await world.signUp({ email: "ada@example.com" });
    await world.prove(ada);
    await world.runJobs();
    await sql`update customer set email = 'b@example.com', email_key = 'b@example.com' where id = ${ada.id}`.execute(
      world.database.handle.db,
    );
    await erase(ada);
    const back = await world.signUp({ email: "ada@example.com" });
    await world.prove(back);
    await world.runJobs();
    expect(await world.refusal("first_call", back)).toBe("same_address");
  });

  test("no invitation reward, also from another inviter", async () => {
    const [one, two] = [await world.signUp(), await world.signUp()];
    const friend = await world.invite(one, { email: "friend@example.com" });
    await world.prove(one, two, friend);
    await world.pay(friend, 10);
    await world.runJobs();
    expect((await bonuses(friend))[0]).toBeGreaterThanOrEqual(2);
    await erase(friend);
    const back = [
      await world.invite(two, { email: "friend+2@example.com" }),
      await world.invite(two, { browser: friend.browser }),
    ];
    await world.prove(...back);
    for (const person of back) await world.pay(person, 10);
    await world.runJobs();
    const refusals = await Promise.all(back.map((person) => world.refusal("referral", person)));
    expect(refusals).toEqual(["same_address", "same_browser"]);
  });

  test("no second use of a promo code", async () => {
    const code = await newCampaign(world.ctx);
    const ada = await world.signUp({ email: "ada@example.com" });
    expect((await payWith(ada, code)).result).toBe(2n * DOLLAR);
    await erase(ada);
    const back = await world.signUp({ email: "ada+new@example.com" });
    expect((await payWith(back, code)).result).toBe("You have already used this promo code.");
    const preview = await world.request(back, "POST", "/api/billing/promo/check", { code, amount: 20 });
    expect(preview.body).toMatchObject({ bonus: "0.00", refusal: "used_before" });
  });
});

describe("daily free credit", () => {
  beforeEach(async () => {
    world = await PromotionWorld.start(1, PROMOTIONS);
  });

  test("is limited per network, and the next day allows more", async () => {
    const network = "198.51.100.x";
    const code = await newCampaign(world.ctx);
    const [ada, bob, cleo] = [await world.signUp({ network }), await world.signUp({ network }), await world.signUp({ network })];
    await world.prove(ada);
    await world.runJobs();
    await world.prove(bob, cleo);
    expect((await payWith(bob, code)).result).toBe("This promo code has been used up for today. Try again tomorrow.");
    world.clock.advance(DAY_MS);
    expect((await payWith(bob, code)).result).toBe(2n * DOLLAR);
    expect((await payWith(cleo, code)).result).toBe("This promo code has been used up for today. Try again tomorrow.");
    const other = await world.signUp();
    await world.prove(other);
    expect((await payWith(other, code)).result).toBe(2n * DOLLAR);
  });

  test("is used to the last cent: of a network, and of what is promised to unpaid payments", async () => {
    await world.close();
    world = await PromotionWorld.start(1, { ...PROMOTIONS, freeCreditPerDayMicros: 40n * DOLLAR });
    const code = await newCampaign(world.ctx);
    const unconfirmed = await payEach(code, await people(3));
    expect(unconfirmed).toEqual([2n * DOLLAR, 2n * DOLLAR, expect.stringContaining("Confirm your email address")]);
    const neighbours = await people(3, { network: "198.51.100.x" });
    await world.prove(...neighbours);
    expect(await payEach(code, neighbours)).toEqual([2n * DOLLAR, 2n * DOLLAR, expect.stringContaining("used up for today")]);
    const others = await people(7);
    await world.prove(...others);
    const promised = await payEach(code, others);
    expect(promised).toEqual([...Array<bigint>(6).fill(2n * DOLLAR), expect.stringContaining("half an hour")]);
  });

  test("is limited overall, and gifts over the limit follow on a later day", async () => {
    const pairs: Person[][] = [];
    for (let i = 0; i < 5; i++) {
      const inviter = await world.signUp();
      pairs.push([inviter, await world.invite(inviter)]);
    }
    await world.prove(...pairs.flat());
    const { db } = world.database.handle;
    await sql`update first_call set state = 'refused', refusal = 'off', next_look_at = null, decided_at = now()`.execute(db);
    for (const [, friend] of pairs) if (friend !== undefined) await world.pay(friend, 10);
    for (let i = 0; i < 3; i++) await world.runJobs();
    const given = async () => (await bonuses(...pairs.flat())).reduce((sum, bonus) => sum + bonus, 0);
    expect(await given()).toBe(16);
    const late = await world.signUp();
    await world.prove(late);
    await world.runJobs();
    expect([await world.bonus(late), await world.refusal("first_call", late)]).toEqual([0, null]);
    world.clock.advance(DAY_MS);
    await world.runJobs();
    expect([await given(), await world.bonus(late)]).toEqual([20, 0.25]);
  });

  test("is restored by a reserved code whose payment does not arrive", async () => {
    const code = await newCampaign(world.ctx);
    const network = "198.51.100.x";
    const [ada, bob] = [await world.signUp({ network }), await world.signUp({ network })];
    await world.prove(ada, bob);
    const { paymentId } = await payWith(ada, code);
    expect((await payWith(bob, code)).result).toContain("Try again tomorrow");
    await world.database.handle.db.transaction().execute((tx) => releasePromo(tx, paymentId, world.clock.now()));
    expect((await payWith(bob, code)).result).toBe(2n * DOLLAR);
  });

  test("is not used up by checkouts that nobody pays, and paid codes make room for others", async () => {
    const code = await newCampaign(world.ctx);
    const [stranger, second, ...confirmed] = (await people(7)) as [Person, Person, ...Person[]];
    const first = await payWith(stranger, code);
    expect(first.result).toBe(2n * DOLLAR);
    expect((await payWith(second, code)).result).toContain("Confirm your email address");
    await world.prove(...confirmed);
    const results = await payEach(code, confirmed);
    expect(results.slice(0, 3)).toEqual([2n * DOLLAR, 2n * DOLLAR, 2n * DOLLAR]);
    expect(results.slice(3)).toEqual([expect.stringContaining("half an hour"), expect.stringContaining("half an hour")]);
    await world.runJobs();
    expect(await bonuses(...confirmed.slice(3))).toEqual([0.25, 0.25]);
    const paid = {
      paymentId: first.paymentId,
      chargeMicros: 20n * DOLLAR,
      packageId: null,
      fingerprint: null,
      now: world.clock.now(),
    };
    await world.database.handle.db.transaction().execute((tx) => grantPromo(tx, world.ctx.config, paid));
    expect((await payWith(second, code)).result).toBe(2n * DOLLAR);
  });
});
