import { MINUTE_MS } from "@farline/domain/durations.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { accountWorld, OTHER_PASSWORD, PASSWORD, type AccountWorld } from "../../../test/worlds/account-world.ts";
import { tokenIn } from "../../../test/fakes/test-mailbox.ts";
import { peakConcurrentHashes } from "../credentials/password-hash.ts";
import { PRODUCTION_PASSWORDS } from "../../../test/test-context.ts";

const SECOND_MS = 1000;
const WRONG = "wrong horse battery";

let world: AccountWorld;
beforeEach(async () => {
  world = await accountWorld(1, PRODUCTION_PASSWORDS);
});
afterEach(() => world.close());

let lastAddress = 0;
/** A new network each time, to stay below the network limits. */
const elsewhere = () => ({ ip: `198.51.${Math.floor((lastAddress += 1) / 250)}.${lastAddress % 250}` });
const guess = async (email: string, more: { ip?: string; headers?: Record<string, string> } = elsewhere()) =>
  (await world.signIn(email, WRONG, more)).statusCode;

async function lockOut(email: string): Promise<void> {
  for (let i = 0; i < 5; i++) expect(await guess(email)).toBe(422);
  expect(await guess(email)).toBe(429);
}

test("after five wrong passwords an account is locked for 1, 2, 4 … and at most 60 minutes, from everywhere", async () => {
  const { email } = await world.signUp();
  await lockOut(email);
  for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
    const locked = await world.signIn(email, PASSWORD, elsewhere());
    expect(locked.statusCode).toBe(429);
    expect(locked.headers["retry-after"]).toBe(String(minutes * 60));
    world.clock.advance(minutes * MINUTE_MS - SECOND_MS);
    expect((await world.signIn(email, PASSWORD, elsewhere())).statusCode).toBe(429);
    world.clock.advance(SECOND_MS);
    expect(await guess(email)).toBe(422);
  }
  world.clock.advance(60 * MINUTE_MS);
  expect((await world.signIn(email, PASSWORD, elsewhere())).statusCode).toBe(200);
  expect(await guess(email)).toBe(422);
});

test("an unknown address is locked in the same way", async () => {
  await lockOut("nobody@example.com");
});

test("failures expire after 15 minutes, and lock escalation after a day", async () => {
  const { email } = await world.signUp();
  for (let i = 0; i < 4; i++) await guess(email);
  world.clock.advance(15 * MINUTE_MS);
  await lockOut(email);
  world.clock.advance(24 * 60 * MINUTE_MS);
  await lockOut(email);
  expect((await world.signIn(email, PASSWORD, elsewhere())).headers["retry-after"]).toBe("60");
});

test("a known browser can sign in to an account locked by others, which unlocks it", async () => {
  const { email, cookie } = await world.signUp();
  await lockOut(email);
  expect((await world.signIn(email, PASSWORD, elsewhere())).statusCode).toBe(429);
  expect((await world.signIn(email, PASSWORD, { ...elsewhere(), headers: { cookie } })).statusCode).toBe(200);
  expect((await world.signIn(email, PASSWORD, elsewhere())).statusCode).toBe(200);
});

test("a known browser can sign in from a network over its limit", async () => {
  const { email, cookie } = await world.signUp();
  const ip = "203.0.113.9";
  for (let i = 0; i < 20; i++) await world.signIn(`nobody${i}@example.com`, WRONG, { ip });
  expect((await world.signIn(email, PASSWORD, { ip })).statusCode).toBe(429);
  expect((await world.signIn(email, PASSWORD, { ip, headers: { cookie } })).statusCode).toBe(200);
});

test("a known browser has ten failures in 15 minutes, for its own customer only", async () => {
  const { email, cookie } = await world.signUp();
  const stranger = await world.signUp();
  await lockOut(stranger.email);
  expect(await guess(stranger.email, { headers: { cookie } })).toBe(429);
  for (let i = 0; i < 10; i++) expect(await guess(email, { headers: { cookie } })).toBe(422);
  expect((await world.signIn(email, PASSWORD, { headers: { cookie } })).statusCode).toBe(429);
});

test("a new password removes known browsers except the one it was set in", async () => {
  const { email, token, cookie } = await world.signUp();
  const other = await world.signIn(email, PASSWORD, elsewhere());
  const otherCookie = [other.headers["set-cookie"] ?? ""].flat()[0]?.split(";")[0] ?? "";
  const body = { current_password: PASSWORD, password: OTHER_PASSWORD, password_confirmation: OTHER_PASSWORD };
  expect((await world.request("POST", "/api/password", body, { token, headers: { cookie } })).statusCode).toBe(204);
  await lockOut(email);
  expect((await world.signIn(email, OTHER_PASSWORD, { ...elsewhere(), headers: { cookie: otherCookie } })).statusCode).toBe(429);
  expect((await world.signIn(email, OTHER_PASSWORD, { ...elsewhere(), headers: { cookie } })).statusCode).toBe(200);
});

test("a password reset by mail unlocks the account", async () => {
  const { email } = await world.signUp();
  await lockOut(email);
  await world.request("POST", "/api/password/forgot", { email });
  await world.deliver();
  const token = tokenIn(world.mailbox.to(email).at(-1));
  await world.request("POST", "/api/password/reset", { token, password: OTHER_PASSWORD, password_confirmation: OTHER_PASSWORD });
  expect((await world.signIn(email, OTHER_PASSWORD, elsewhere())).statusCode).toBe(200);
});

test("one network may try one account ten times an hour, however slowly", async () => {
  const { email } = await world.signUp();
  const ip = "203.0.113.10";
  let looked = 0;
  for (let i = 0; i < 12; i++) {
    if ((await guess(email, { ip })) === 422) looked += 1;
    world.clock.advance(61 * MINUTE_MS); // past every account lock; the pair's counter uses real time
  }
  expect(looked).toBe(10);
});

test("of 200 parallel attempts on one account five are checked, at most four hashes run, and the owner gets in", async () => {
  const { email, cookie } = await world.signUp();
  const answers = await Promise.all(Array.from({ length: 200 }, () => world.signIn(email, WRONG, elsewhere())));
  const codes = answers.map((answer) => answer.statusCode);
  expect(codes.filter((code) => code === 422)).toHaveLength(5);
  expect(codes.filter((code) => code === 429)).toHaveLength(195);
  expect((await world.signIn(email, PASSWORD, { headers: { cookie } })).statusCode).toBe(200);
  expect(peakConcurrentHashes()).toBeGreaterThan(0);
  expect(peakConcurrentHashes()).toBeLessThanOrEqual(4);
});

test("of 200 parallel attempts on as many accounts four are hashed, a few queue, the rest wait uncounted", async () => {
  const { email } = await world.signUp();
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, i) =>
      world.signIn(i < 100 ? email : `nobody${i}@example.com`, i < 100 ? PASSWORD : WRONG, elsewhere()),
    ),
  );
  for (const answer of answers) {
    expect([200, 422, 429, 503]).toContain(answer.statusCode);
    if (answer.statusCode >= 429) expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
  }
  expect(answers.some((answer) => answer.statusCode === 200)).toBe(true);
  expect(peakConcurrentHashes()).toBe(4);
  // Unchecked attempts do not count against the owner.
  expect((await world.signIn(email, PASSWORD, elsewhere())).statusCode).toBe(200);
});
