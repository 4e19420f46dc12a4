import { randomBytes } from "node:crypto";
import * as fc from "fast-check";
import { decodeJwt } from "jose";
import { describe, expect, test } from "vitest";
import { Credentials, TOKEN_LIFETIME_SECS } from "./credentials.ts";

const key = randomBytes(32);
const inAnHour = (): Date => new Date(Math.floor(Date.now() / 1000) * 1000 + 3_600_000);

describe("credentials", () => {
  test("outlive a restart with their expiry, and so do their tokens", async () => {
    const before = new Credentials(key);
    const credential = before.create(inAnHour());
    const token = (await before.issueToken(credential)) ?? "";
    const after = new Credentials(key);
    expect(after.find(credential.id)).toEqual(credential);
    expect(await after.verifyToken(token)).toMatchObject({ credentialId: credential.id, username: credential.username });
  });

  test("any other id is unknown, also one with a single bit changed", () => {
    const credentials = new Credentials(key);
    const { id } = credentials.create(null);
    fc.assert(fc.property(fc.uuid(), (other) => credentials.find(other) === null));
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 127 }), (bit) => {
        const bytes = Buffer.from(id.replaceAll("-", ""), "hex");
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const hex = bytes.toString("hex");
        const changed = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
        return credentials.find(changed) === null;
      }),
    );
    expect(new Credentials(randomBytes(32)).find(id)).toBeNull();
  });

  test("a token lives for a day, and never longer than its credential", async () => {
    const credentials = new Credentials(key);
    const now = Math.floor(Date.now() / 1000);
    const long = decodeJwt((await credentials.issueToken(credentials.create(null))) ?? "");
    expect(long.exp).toBeGreaterThanOrEqual(now + TOKEN_LIFETIME_SECS);
    const expiresAt = inAnHour();
    const short = decodeJwt((await credentials.issueToken(credentials.create(expiresAt))) ?? "");
    expect(short.exp).toBe(expiresAt.getTime() / 1000);
    expect(await credentials.issueToken(credentials.create(new Date(Date.now() - 60_000)))).toBeNull();
  });

  test("a removed credential is gone, and its tokens with it", async () => {
    const credentials = new Credentials(key);
    const credential = credentials.create(null);
    const token = (await credentials.issueToken(credential)) ?? "";
    credentials.remove(credential.id);
    expect(credentials.find(credential.id)).toBeNull();
    expect(await credentials.verifyToken(token)).toBeNull();
  });
});
