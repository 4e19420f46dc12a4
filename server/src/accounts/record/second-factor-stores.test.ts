import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as authenticators from "./second-factor.store.ts";
import * as passkeys from "./second-factor.store.ts";
import * as challenges from "./second-factor.store.ts";
import { newCustomer } from "../../../test/new-customer.ts";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";

const now = new Date("2026-06-15T12:00:00.000Z");
const later = new Date("2026-06-15T12:05:00.000Z");

let database: TestDatabase;
let [owner, stranger] = ["", ""];
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  [owner, stranger] = [(await newCustomer(database.handle)).id, (await newCustomer(database.handle)).id];
});

const hash = () => randomBytes(32);

describe("an authenticator", () => {
  const secretOf = async (id: string) => (await authenticators.findAuthenticator(database.handle.db, id))?.secret.toString();
  const stored = (customerId: string, secret = customerId) =>
    authenticators.storeNewAuthenticator(database.handle.db, { customerId, secret: Buffer.from(secret), secretKey: "a", now });
  const confirmed = (customerId: string, step = 7) =>
    database.handle.db.transaction().execute((tx) => authenticators.confirmAuthenticator(tx, { customerId, step, now }));

  test("belongs to one customer, and is replaced only while it awaits its first code", async () => {
    expect([await stored(owner), await stored(stranger), await stored(owner, "second")]).toEqual([true, true, true]);
    expect([await secretOf(owner), await secretOf(stranger)]).toEqual(["second", stranger]);
    await confirmed(owner);
    const { db } = database.handle;
    expect([await authenticators.usesAuthenticator(db, owner), await authenticators.usesAuthenticator(db, stranger)]).toEqual([
      true,
      false,
    ]);
    expect(await stored(owner, "third")).toBe(false);
    expect(await secretOf(owner)).toBe("second");
  });

  test("accepts each step's code once, and none of earlier steps", async () => {
    const { db } = database.handle;
    for (const one of [owner, stranger]) {
      await stored(one);
      await confirmed(one);
    }
    expect(await authenticators.consumeStep(db, owner, 7)).toBe(false);
    expect([await authenticators.consumeStep(db, owner, 9), await authenticators.consumeStep(db, owner, 8)]).toEqual([
      true,
      false,
    ]);
    expect(await authenticators.consumeStep(db, stranger, 8)).toBe(true);
  });

  test("is removed without affecting others, active and unconfirmed ones separately", async () => {
    const { db } = database.handle;
    for (const one of [owner, stranger]) await stored(one);
    await confirmed(owner);
    await authenticators.deleteWaitingAuthenticator(db, owner);
    expect([await secretOf(owner), await secretOf(stranger)]).toEqual([owner, stranger]);
    expect(await authenticators.deleteAuthenticator(db, owner)).toBe(true);
    expect([await secretOf(owner), await secretOf(stranger)]).toEqual([undefined, stranger]);
    expect(await authenticators.deleteAuthenticator(db, stranger)).toBe(false);
  });

  test("has recovery codes, each valid once and only for its customer", async () => {
    const { db } = database.handle;
    const [first, second] = [hash(), hash()];
    for (const customerId of [owner, stranger])
      await authenticators.replaceRecoveryCodes(db, { customerId, codeHashes: [first, second], now });
    const spend = (customerId: string, codeHash: Buffer) => authenticators.consumeRecoveryCode(db, { customerId, codeHash, now });
    expect([await spend(owner, first), await spend(owner, first), await spend(owner, hash())]).toEqual([true, false, false]);
    const left = async () => [
      await authenticators.countRecoveryCodes(db, owner),
      await authenticators.countRecoveryCodes(db, stranger),
    ];
    expect(await left()).toEqual([1, 2]);
    await authenticators.replaceRecoveryCodes(db, { customerId: owner, codeHashes: [hash(), hash(), hash()], now });
    expect(await left()).toEqual([3, 2]);
    await authenticators.deleteAuthenticator(db, stranger);
    expect(await left()).toEqual([3, 0]);
  });
});

describe("a sign-in awaiting its second factor", () => {
  async function waiting(customerId: string, expiresAt = later): Promise<Buffer> {
    const challenge = { hash: hash(), customerId, createdAt: now, expiresAt };
    await challenges.insertSignInChallenge(database.handle.db, challenge);
    return challenge.hash;
  }
  const attempt = (challenge: Buffer, at = now) => challenges.countChallengeAttempt(database.handle.db, challenge, at);

  test("allows five attempts until it expires", async () => {
    const [mine, theirs] = [await waiting(owner), await waiting(stranger)];
    expect([await attempt(mine, later), await attempt(hash())]).toEqual([null, null]);
    for (let tries = 0; tries < challenges.MAX_ATTEMPTS; tries++) expect(await attempt(mine)).toBe(owner);
    expect([await attempt(mine), await attempt(theirs)]).toEqual([null, stranger]);
  });

  test("ends once, alone, with all of its customer's, or when it expires", async () => {
    const { db } = database.handle;
    const [one, two, theirs] = [await waiting(owner), await waiting(owner), await waiting(stranger)];
    expect(await challenges.deleteSignInChallenge(db, one)).toBe(true);
    expect(await challenges.deleteSignInChallenge(db, one)).toBe(false);
    expect([await attempt(two), await attempt(theirs)]).toEqual([owner, stranger]);
    await challenges.deleteSignInChallenges(db, owner);
    expect([await attempt(two), await attempt(theirs)]).toEqual([null, stranger]);
    const kept = await waiting(owner, new Date(later.getTime() + 1));
    await challenges.deleteExpiredChallenges(db, later, new AbortController().signal);
    expect([await attempt(theirs), await attempt(kept)]).toEqual([null, owner]);
  });

  test("with a passkey is kept until it expires", async () => {
    const { db } = database.handle;
    const [old, kept] = [hash(), hash()];
    await passkeys.insertPasskeyChallenge(db, { hash: old, customerId: null, expiresAt: later });
    await passkeys.insertPasskeyChallenge(db, { hash: kept, customerId: null, expiresAt: new Date(later.getTime() + 1) });
    await challenges.deleteExpiredChallenges(db, later, new AbortController().signal);
    const spend = (challenge: Buffer) => passkeys.consumePasskeyChallenge(db, { hash: challenge, customerId: null, now });
    expect([await spend(old), await spend(kept)]).toEqual([false, true]);
  });
});

describe("a passkey", () => {
  async function stored(customerId: string, name = "Phone"): Promise<string> {
    const id = randomUUID();
    await passkeys.insertPasskey(database.handle.db, {
      id,
      customer_id: customerId,
      credential_id: Buffer.from(id),
      public_key: Buffer.from("key"),
      sign_count: 3n,
      transports: [],
      name,
      synced: false,
      created_at: now,
      last_used_at: null,
    });
    return id;
  }
  const idsOf = async (customerId: string) => (await passkeys.listPasskeys(database.handle.db, customerId)).map(({ id }) => id);

  test("is found by its credential and listed for its customer", async () => {
    const [mine, theirs] = [await stored(owner), await stored(stranger)];
    expect((await passkeys.findPasskey(database.handle.db, Buffer.from(theirs)))?.id).toBe(theirs);
    expect([await idsOf(owner), await idsOf(stranger)]).toEqual([[mine], [theirs]]);
  });

  test("has its own signature counter, and detects concurrent use", async () => {
    const { db } = database.handle;
    const [mine, theirs] = [await stored(owner), await stored(stranger)];
    const used = (count: number) => passkeys.markPasskeyUsed(db, { id: mine, countBefore: 3n, count, synced: true, now });
    expect([await used(4), await used(5)]).toEqual([true, false]);
    expect((await passkeys.findPasskey(db, Buffer.from(theirs)))?.sign_count).toBe(3n);
  });

  test("is removed only by its customer, without affecting others", async () => {
    const { db } = database.handle;
    const [first, second, theirs] = [await stored(owner, "A"), await stored(owner, "B"), await stored(stranger, "C")];
    expect(await passkeys.deletePasskey(db, { id: theirs, customerId: owner })).toBeUndefined();
    expect(await passkeys.deletePasskey(db, { id: first, customerId: owner })).toBe("A");
    expect([await idsOf(owner), await idsOf(stranger)]).toEqual([[second], [theirs]]);
    expect(await passkeys.deletePasskeys(db, owner)).toEqual(["B"]);
    expect(await idsOf(stranger)).toEqual([theirs]);
  });

  test("can use a challenge of its customer once, before it expires", async () => {
    const { db } = database.handle;
    const issued = async (customerId: string | null) => {
      const challenge = { hash: hash(), customerId, expiresAt: later };
      await passkeys.insertPasskeyChallenge(db, challenge);
      return challenge.hash;
    };
    const spend = (challenge: Buffer, customerId: string | null, at = now) =>
      passkeys.consumePasskeyChallenge(db, { hash: challenge, customerId, now: at });
    const [mine, theirs, anybody] = [await issued(owner), await issued(stranger), await issued(null)];
    expect([await spend(mine, stranger), await spend(mine, null), await spend(mine, owner, later)]).toEqual([
      false,
      false,
      false,
    ]);
    expect([await spend(mine, owner), await spend(mine, owner)]).toEqual([true, false]);
    await passkeys.deletePasskeyChallenges(db, owner);
    expect([await spend(theirs, stranger), await spend(anybody, null)]).toEqual([true, true]);
    const [gone, kept] = [await issued(owner), await issued(stranger)];
    await passkeys.deletePasskeyChallenges(db, owner);
    expect([await spend(gone, owner), await spend(kept, stranger)]).toEqual([false, true]);
  });
});
