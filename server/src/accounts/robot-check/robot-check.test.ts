import { MINUTE_MS } from "@farline/domain/durations.ts";
import { sql } from "kysely";
import { errorBody } from "@farline/contract/errors.ts";
import type { RobotChallenge } from "@farline/contract/robot-check.ts";
import type { LightMyRequestResponse } from "fastify";
import { afterEach, beforeEach, expect, test } from "vitest";
import { accountWorld, PASSWORD, type AccountWorld, type RequestOptions } from "../../../test/worlds/account-world.ts";
import { accountApp } from "../../../test/worlds/account-app.ts";
import { solveChallenge } from "../../../test/fakes/solve-challenge.ts";

const WRONG = "wrong horse battery";

let world: AccountWorld;
beforeEach(async () => {
  world = await accountWorld(1);
});
afterEach(() => world.close());

let lastAddress = 0;
const elsewhere = () => ({ ip: `198.51.${Math.floor((lastAddress += 1) / 250)}.${lastAddress % 250}` });
const signIn = (email: string, more: { password?: string; proof?: object } & RequestOptions = {}) => {
  const { password = WRONG, proof, ...asked } = more;
  return world.request("POST", "/api/login", { email, password, proof }, { ...elsewhere(), ...asked });
};

function challengeIn(answer: LightMyRequestResponse): RobotChallenge {
  const { code, challenge } = errorBody.parse(answer.json());
  if (answer.statusCode !== 403 || code !== "challenge_required" || challenge === undefined)
    throw new Error(`There is no challenge in ${answer.body}`);
  return challenge;
}

/** Fails sign-ins for as many accounts, each from its own network. */
async function failElsewhere(times: number): Promise<void> {
  for (let done = 0; done < times; done += 20)
    await Promise.all(Array.from({ length: Math.min(20, times - done) }, (_, i) => signIn(`nobody${done + i}@example.com`)));
}

test("after three wrong passwords an account demands a proof from unknown browsers on any network", async () => {
  const { email } = await world.signUp();
  for (let i = 0; i < 3; i++) expect((await signIn(email)).statusCode).toBe(422);
  const asked = await signIn(email, { password: PASSWORD });
  expect(asked.json()).toMatchObject({
    code: "challenge_required",
    message: "The robot check failed. Try again.",
  });
  const proof = solveChallenge(challengeIn(asked));
  expect((await signIn(email, { password: PASSWORD, proof })).statusCode).toBe(200);
  expect((await signIn(email, { password: PASSWORD })).statusCode).toBe(200);
});

test("a proof works once, even in parallel, and expires after five minutes", async () => {
  const { email } = await world.signUp();
  for (let i = 0; i < 3; i++) await signIn(email);
  const proof = solveChallenge(challengeIn(await signIn(email)));
  const answers = await Promise.all(Array.from({ length: 5 }, () => signIn(email, { proof })));
  const codes = answers.map((answer) => answer.statusCode);
  expect(codes.filter((code) => code === 422)).toHaveLength(1);
  expect(codes.filter((code) => code === 403)).toHaveLength(4);
  const late = solveChallenge(challengeIn(answers.find((answer) => answer.statusCode === 403) as LightMyRequestResponse));
  world.clock.advance(5 * MINUTE_MS);
  challengeIn(await signIn(email, { proof: late }));
});

test("a refused proof counts no attempt, and no proof opens a locked account", async () => {
  const { email } = await world.signUp();
  for (let i = 0; i < 3; i++) await signIn(email);
  for (let i = 0; i < 5; i++) challengeIn(await signIn(email, { proof: { token: "made up", counters: Array(16).fill(0) } }));
  for (let i = 0; i < 2; i++) {
    const proof = solveChallenge(challengeIn(await signIn(email)));
    expect((await signIn(email, { proof })).statusCode).toBe(422);
  }
  expect((await signIn(email, { password: PASSWORD })).statusCode).toBe(429);
});

test("a malformed proof is a bad request", async () => {
  for (const proof of ["x", {}, { token: "a", counters: [1] }, { token: "a", counters: Array(16).fill(-1) }])
    expect((await world.request("POST", "/api/login", { email: "a@example.com", password: WRONG, proof })).statusCode).toBe(422);
});

test("a known browser is never challenged", async () => {
  const { email, cookie } = await world.signUp();
  for (let i = 0; i < 4; i++) await signIn(email);
  expect((await signIn(email, { password: PASSWORD, headers: { cookie } })).statusCode).toBe(200);
});

test("a network is challenged after twelve wrong passwords for as many accounts, before it is refused", async () => {
  const ip = "203.0.113.77";
  for (let i = 0; i < 12; i++) expect((await signIn(`nobody${i}@example.com`, { ip })).statusCode).toBe(422);
  const proof = solveChallenge(challengeIn(await signIn("one-more@example.com", { ip })));
  expect((await signIn("one-more@example.com", { ip, proof })).statusCode).toBe(422);
});

test("a network is challenged at its fourth sign-up in an hour, and refused far above that", async () => {
  const ip = "203.0.113.78";
  const join = (name: string, proof?: object) =>
    world.request(
      "POST",
      "/api/register",
      { name, email: `${name}@example.com`, password: PASSWORD, password_confirmation: PASSWORD, proof },
      { ip },
    );
  for (const name of ["one", "two", "three"]) expect((await join(name)).statusCode).toBe(201);
  for (const name of ["four", "five", "six"]) {
    const challenge = challengeIn(await join(name));
    expect((await join(name, solveChallenge(challenge))).statusCode).toBe(201);
  }
  const rest = "update rate_limit set points = $2 where key = $1";
  await world.database.handle.pool.query(rest, [`register-hour:${ip}`, 59]);
  const sixtieth = challengeIn(await join("sixtieth"));
  expect((await join("sixtieth", solveChallenge(sixtieth))).statusCode).toBe(201);
  const refused = await join("one-more", solveChallenge(challengeIn(await join("one-more"))));
  expect(refused.statusCode).toBe(429);
  expect(refused.json().message).toMatch(/^Too many attempts\. Try again in \d+ minutes\.$/);
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
});

test("while failures spike across accounts, every instance challenges unknown browsers for ten minutes", async () => {
  const owner = await world.signUp();
  await failElsewhere(99);
  expect((await signIn("nobody@example.com")).statusCode).toBe(422);
  challengeIn(await signIn("somebody-new@example.com"));
  expect((await signIn(owner.email, { password: PASSWORD, headers: { cookie: owner.cookie } })).statusCode).toBe(200);
  const { handle } = world.database;
  const other = accountApp({ handle, clock: world.clock, publicUrl: "https://farline.example", limitsScale: 1 });
  const payload = { email: owner.email, password: PASSWORD };
  challengeIn(await other.inject({ method: "POST", url: "/api/login", remoteAddress: "192.0.2.1", payload }));
  await other.close();
  const proof = solveChallenge(challengeIn(await signIn(owner.email, { password: PASSWORD })));
  expect((await signIn(owner.email, { password: PASSWORD, proof })).statusCode).toBe(200);
  world.clock.advance(10 * MINUTE_MS);
  expect((await signIn(owner.email, { password: PASSWORD })).statusCode).toBe(200);
});

test("the same number of failures with more successes is not an attack", async () => {
  const { email, cookie } = await world.signUp();
  await sql`insert into sign_in_minute (minute, tries, failures) values (${new Date(Math.floor(world.clock.now().getTime() / MINUTE_MS) * MINUTE_MS)}, 101, 0)`.execute(
    world.database.handle.db,
  );
  await failElsewhere(100);
  expect((await signIn("nobody@example.com")).statusCode).toBe(422);
  expect((await signIn(email, { password: PASSWORD, headers: { cookie } })).statusCode).toBe(200);
});
