import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newCustomer } from "../../../test/new-customer.ts";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";
import {
  confirmEmailChange,
  deleteEmailChange,
  findEmailChange,
  finishEmailChange,
  replaceEmailChange,
} from "./email-change.store.ts";
import { deleteMailLinks, findMailLink, insertMailLink, consumeMailLink } from "./mail-link.store.ts";

const now = new Date("2026-06-15T12:00:00.000Z");
const later = new Date("2026-06-15T12:30:00.000Z");

let database: TestDatabase;
let [owner, stranger] = ["", ""];
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  [owner, stranger] = [(await newCustomer(database.handle)).id, (await newCustomer(database.handle)).id];
});

describe("a mailed link", () => {
  async function link(customerId = owner, use: "verify_email" | "reset_password" = "reset_password"): Promise<string> {
    const id = randomUUID();
    const times = { createdAt: now, expiresAt: later };
    await insertMailLink(database.handle.db, {
      id,
      customerId,
      use,
      emailKey: "a@b.c",
      emailChangeId: null,
      sessionId: null,
      ...times,
    });
    return id;
  }
  const found = async (id: string, use: "verify_email" | "reset_password" = "reset_password", at = now) =>
    (await findMailLink(database.handle.db, { id, use, now: at }))?.id;

  test("is found by its id, for its use, until it expires", async () => {
    const [first, second] = [await link(), await link(stranger)];
    expect([await found(first), await found(second)]).toEqual([first, second]);
    expect(await found(randomUUID())).toBeUndefined();
    expect(await found(first, "verify_email")).toBeUndefined();
    expect(await found(first, "reset_password", later)).toBeUndefined();
  });

  test("is used once, before it expires, and leaves the others", async () => {
    const { db } = database.handle;
    const [first, second] = [await link(), await link()];
    expect(await consumeMailLink(db, first, now)).toBe(true);
    expect(await consumeMailLink(db, first, now)).toBe(false);
    expect(await consumeMailLink(db, second, later)).toBe(false);
    expect(await consumeMailLink(db, second, now)).toBe(true);
  });

  test("is deleted only with links of the same customer and use", async () => {
    const [mine, other, theirs] = [await link(), await link(owner, "verify_email"), await link(stranger)];
    await deleteMailLinks(database.handle.db, { customerId: owner, use: "reset_password" });
    expect([await found(mine), await found(other, "verify_email"), await found(theirs)]).toEqual([undefined, other, theirs]);
  });
});

describe("a change of address", () => {
  async function change(customerId = owner): Promise<string> {
    const id = randomUUID();
    const wanted = { id, customerId, newEmail: `${id}@example.org`, needsOld: true, now, expiresAt: later };
    await replaceEmailChange(database.handle.db, wanted);
    return id;
  }

  test("replaces only the customer's earlier one", async () => {
    const { db } = database.handle;
    const [first, theirs, second] = [await change(), await change(stranger), await change()];
    expect(await findEmailChange(db, first)).toBeUndefined();
    expect([(await findEmailChange(db, theirs))?.customerId, (await findEmailChange(db, second))?.customerId]).toEqual([
      stranger,
      owner,
    ]);
  });

  test("is confirmed and finished without affecting others", async () => {
    const { db } = database.handle;
    const [mine, theirs] = [await change(), await change(stranger)];
    expect(await confirmEmailChange(db, { id: mine, side: "new", now })).toMatchObject({ id: mine, newConfirmedAt: now });
    expect(await confirmEmailChange(db, { id: mine, side: "new", now: later })).toMatchObject({ newConfirmedAt: now });
    await finishEmailChange(db, mine, now);
    expect([await findEmailChange(db, mine), await findEmailChange(db, theirs)]).toMatchObject([
      { doneAt: now },
      { doneAt: null, newConfirmedAt: null },
    ]);
  });

  test("is cancelled without affecting others, and reported only while pending", async () => {
    const { db } = database.handle;
    const [mine, theirs] = [await change(), await change(stranger)];
    expect(await deleteEmailChange(db, owner)).toBe(`${mine}@example.org`);
    expect(await deleteEmailChange(db, owner)).toBe(null);
    await finishEmailChange(db, theirs, now);
    expect(await deleteEmailChange(db, stranger)).toBe(null);
  });
});
