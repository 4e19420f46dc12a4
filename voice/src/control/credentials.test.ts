import { randomBytes } from "node:crypto";
import * as fc from "fast-check";
import { decodeJwt } from "jose";
import { describe, expect, test } from "vitest";
import { Credentials, TOKEN_LIFETIME_SECS } from "./credentials.ts";

const key = randomBytes(32);
const inAnHour = (): Date => new Date(Math.floor(Date.now() / 1000) * 1000 + 3_600_000);

describe("credentials", () => {
  test("survive a restart with their expiry and tokens", async () => {
    const before = new Credentials([key]);
    const credential = before.create(inAnHour(), { tag: "ada", name: null });
    const token = (await before.issueToken(credential)) ?? "";
    const after = new Credentials([key]);
    expect(after.find(credential.id)).toEqual(credential);
    expect(await after.verifyToken(token)).toMatchObject({ credentialId: credential.id, username: credential.username });
  });

  test("of an earlier key are valid as long as that key is accepted", async () => {
    const before = new Credentials([key]);
    const credential = before.create(inAnHour(), { tag: "ada", name: null });
    const token = (await before.issueToken(credential)) ?? "";
    const next = randomBytes(32);
    for (const keys of [[key, next] as const, [next, key] as const]) {
      const during = new Credentials(keys);
      expect(during.find(credential.id)).toEqual(credential);
      expect(await during.verifyToken(token)).toMatchObject({ credentialId: credential.id });
    }
    const after = new Credentials([next]);
    expect(after.find(credential.id)).toBeNull();
    expect(await after.verifyToken(token)).toBeNull();
    const turned = new Credentials([next, key]);
    expect(
      await after.verifyToken((await turned.issueToken(turned.create(null, { tag: null, name: null }))) ?? ""),
    ).not.toBeNull();
  });

  test("reject any other id, even with a single bit changed", () => {
    const credentials = new Credentials([key]);
    const { id } = credentials.create(null, { tag: null, name: null });
    fc.assert(fc.property(fc.uuid(), (other) => credentials.find(other) === null));
    fc.assert(
      fc.property(fc.integer({ min: 0, max: id.length * 4 - 1 }), (bit) => {
        const bytes = Buffer.from(id, "hex");
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        return credentials.find(bytes.toString("hex")) === null;
      }),
    );
    expect(new Credentials([randomBytes(32)]).find(id)).toBeNull();
  });

  test("with the same tag belong to one account, in any process; others have separate accounts", async () => {
    const [before, after] = [new Credentials([key]), new Credentials([key])];
    const [first, second] = [
      before.create(inAnHour(), { tag: "ada", name: null }),
      after.create(null, { tag: "ada", name: null }),
    ];
    expect(second.id).not.toBe(first.id);
    expect(second.accountId).toBe(first.accountId);
    expect(await after.verifyToken((await after.issueToken(first)) ?? "")).toMatchObject({ accountId: first.accountId });
    const others = [
      before.create(null, { tag: "bob", name: null }),
      before.create(null, { tag: "", name: null }),
      before.create(null, { tag: null, name: null }),
      before.create(null, { tag: null, name: null }),
    ];
    expect(new Set([first, ...others].map(({ accountId }) => accountId)).size).toBe(5);
    expect(first.accountId).not.toContain(Buffer.from("ada").toString("hex"));
  });

  test("issue tokens for a day, but never beyond their own expiry", async () => {
    const credentials = new Credentials([key]);
    const now = Math.floor(Date.now() / 1000);
    const long = decodeJwt((await credentials.issueToken(credentials.create(null, { tag: null, name: null }))) ?? "");
    expect(long.exp).toBeGreaterThanOrEqual(now + TOKEN_LIFETIME_SECS);
    const expiresAt = inAnHour();
    const short = decodeJwt((await credentials.issueToken(credentials.create(expiresAt, { tag: null, name: null }))) ?? "");
    expect(short.exp).toBe(expiresAt.getTime() / 1000);
    expect(await credentials.issueToken(credentials.create(new Date(Date.now() - 60_000), { tag: null, name: null }))).toBeNull();
  });

  test("become invalid when they are removed, and so do their tokens", async () => {
    const credentials = new Credentials([key]);
    const credential = credentials.create(null, { tag: null, name: null });
    const token = (await credentials.issueToken(credential)) ?? "";
    credentials.remove(credential.id);
    expect(credentials.find(credential.id)).toBeNull();
    expect(await credentials.verifyToken(token)).toBeNull();
  });
});
