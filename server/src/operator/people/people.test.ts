import { MINUTE_MS } from "@farline/domain/durations.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { actorOf } from "./operator-sessions.ts";
import { deleteOperatorSession } from "./operator-session.store.ts";
import { requestCommandLine } from "./command-line.ts";
import { operate } from "../../../test/operate.ts";
import { operatorToken, resetOperators, testOperator } from "../../../test/operators.ts";
import { asOperator, testContext } from "../../../test/test-context.ts";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";
import type { ServiceContext } from "../../context.ts";
import { hashToken } from "../../platform/sealed-value.ts";
import { ManualClock } from "../../../test/manual-clock.ts";
import { admitOperator, confirmCommandLine, inviteFirstAdmin, operatorJobs, readOperators } from "../operator.ts";

let database: TestDatabase;
let clock: ManualClock;
let ctx: ServiceContext;
/** Operations of earlier tests. */
let earlier: number;
beforeAll(async () => {
  database = await testDatabase({ poolSize: 4 });
});
afterAll(() => database.close());
beforeEach(async () => {
  await resetOperators(query);
  earlier = (await query("select 1 from operation")).rows.length;
  clock = new ManualClock(new Date());
  ctx = testContext({ handle: database.handle, clock });
});

const query = (text: string, values?: unknown[]) => database.handle.pool.query(text, values);
const admin = () => asOperator(ctx, "grace");
const giveSignIn = (name: string) =>
  query("insert into operator_passkey values (gen_random_uuid(), $1, sha256(random()::text::bytea), '', 0, '{}', now())", [
    testOperator(name).id,
  ]);
const admit = (token: string, right: Parameters<typeof admitOperator>[1]["right"] = "own-access") =>
  admitOperator(ctx, { token, kind: "console", right });
const record = async () =>
  (
    await sql<any>`select operator, action, subject, detail from operation order by id offset ${earlier}`.execute(
      database.handle.db,
    )
  ).rows;

describe("the first administrator", () => {
  const ADA = { email: "ada@example.com", name: "Ada", reason: "First" };

  test("is added without a sign-in, and recorded in their own name", async () => {
    const { url, expiresAt } = await inviteFirstAdmin(ctx, ADA);
    expect(url).toMatch(/^https:\/\/farline\.example\/operator\/invitation#fo_[\w-]{43}$/);
    expect(expiresAt.getTime() - clock.now().getTime()).toBe(15 * MINUTE_MS);
    expect(await record()).toEqual([
      {
        operator: "Ada",
        action: "first-admin",
        subject: expect.any(String),
        detail: expect.objectContaining({ email: "ada@example.com" }),
      },
    ]);
  });

  test("can be given a new link without a sign-in, but nobody else once they can sign in", async () => {
    await giveSignIn("grace");
    await inviteFirstAdmin(ctx, { ...ADA, email: "Grace@farline.example" });
    expect((await readOperators(ctx)).find(({ name }) => name === "grace")).toMatchObject({ role: "admin", passkeys: 0 });
    await giveSignIn("grace");
    await expect(inviteFirstAdmin(ctx, ADA)).rejects.toMatchObject({ code: "forbidden" });
    expect((await readOperators(ctx)).some(({ email }) => email === ADA.email)).toBe(false);
  });

  test("is not needed while an administrator, rather than a support agent, can sign in", async () => {
    await giveSignIn("eve");
    await expect(inviteFirstAdmin(ctx, ADA)).resolves.toBeDefined();
  });
});

describe("an administrator", () => {
  test("invites, promotes, signs out, re-invites and removes another operator, each with a record", async () => {
    const order = { email: "joan@example.com", name: "Joan", role: "support", reason: "New" } as const;
    await operate(admin(), "invite-operator", order);
    await expect(operate(admin(), "invite-operator", { ...order, email: "Joan@Example.com" })).rejects.toMatchObject({
      code: "conflict",
    });
    const change = { operator: "joan@example.com", reason: "Because" };
    await operate(admin(), "change-role", { ...change, role: "finance" });
    expect((await readOperators(ctx)).at(-1)).toMatchObject({ name: "Joan", role: "finance", invitedUntil: expect.any(Date) });
    await operate(admin(), "end-operator-sessions", change);
    await operate(admin(), "renew-invitation", change);
    await operate(admin(), "remove-operator", change);
    expect((await readOperators(ctx)).some(({ name }) => name === "Joan")).toBe(false);
    await expect(operate(admin(), "change-role", { ...change, role: "admin" })).rejects.toMatchObject({ code: "not_found" });
    expect((await record()).map(({ action }) => action)).toEqual([
      "invite-operator",
      "change-role",
      "end-operator-sessions",
      "renew-invitation",
      "remove-operator",
    ]);
    // The address is free again.
    await operate(admin(), "invite-operator", order);
  });

  test("cannot change, sign out, re-invite or remove themselves", async () => {
    const change = { operator: "grace@farline.example", reason: "Mine" };
    for (const own of [
      () => operate(admin(), "change-role", { ...change, role: "support" }),
      () => operate(admin(), "end-operator-sessions", change),
      () => operate(admin(), "renew-invitation", change),
      () => operate(admin(), "remove-operator", change),
    ])
      await expect(own()).rejects.toMatchObject({ code: "forbidden" });
    expect(await record()).toEqual([]);
  });
});

describe("a session", () => {
  test("ends after 15 minutes without a request, and after 8 hours", async () => {
    const token = await operatorToken(query, "eve");
    for (let passed = 0; passed < 8 * 60 - 14; passed += 14) {
      clock.advance(14 * MINUTE_MS);
      await admit(token);
    }
    clock.advance(14 * MINUTE_MS);
    await expect(admit(token)).rejects.toMatchObject({ code: "unauthenticated" });
    const idle = await operatorToken(query, "eve");
    await query("update operator_session set last_seen_at = $1, expires_at = $1::timestamptz + interval '8 hours'", [
      clock.now(),
    ]);
    clock.advance(15 * MINUTE_MS);
    await expect(admit(idle)).rejects.toMatchObject({ code: "unauthenticated" });
  });

  test("is not prolonged by what a program asks by itself", async () => {
    const token = await operatorToken(query, "eve", { at: clock.now() });
    const ask = () => admitOperator(ctx, { token, kind: "console", right: "own-access", unattended: true });
    clock.advance(10 * MINUTE_MS);
    await ask();
    clock.advance(6 * MINUTE_MS);
    await expect(ask()).rejects.toMatchObject({ code: "unauthenticated" });
  });

  test("is not prolonged by another session of the same operator, and its end leaves that one", async () => {
    const [used, idle] = [
      await operatorToken(query, "eve", { at: clock.now() }),
      await operatorToken(query, "eve", { at: clock.now() }),
    ];
    clock.advance(14 * MINUTE_MS);
    await admit(used);
    clock.advance(2 * MINUTE_MS);
    await expect(admit(idle)).rejects.toMatchObject({ code: "unauthenticated" });
    await deleteOperatorSession(database.handle.db, hashToken(idle));
    await admit(used);
  });

  test("admits by role, and to money only for five minutes after a proof", async () => {
    const at = clock.now();
    const [eve, bob] = [await operatorToken(query, "eve", { at }), await operatorToken(query, "bob", { at })];
    await expect(admit(eve, "money")).rejects.toMatchObject({ code: "forbidden" });
    await expect(admit(bob, "operators")).rejects.toMatchObject({ code: "forbidden" });
    expect(actorOf(await admit(bob, "money"), "money")).toEqual({
      ...testOperator("bob"),
      right: "money",
      session: expect.any(String),
    });
    clock.advance(5 * MINUTE_MS);
    await admit(bob, "money");
    clock.advance(1);
    await expect(admit(bob, "money")).rejects.toMatchObject({ code: "reauth_required" });
    await expect(admit(bob, "read-audit-log")).resolves.toBeDefined();
  });

  test("ends with its operator's removal, and is of one kind", async () => {
    const token = await operatorToken(query, "eve");
    await expect(admitOperator(ctx, { token, kind: "command_line", right: "own-access" })).rejects.toMatchObject({
      code: "unauthenticated",
    });
    await query("update operator set removed_at = now() where name = 'eve'");
    await expect(admit(token)).rejects.toMatchObject({ code: "unauthenticated" });
  });
});

test("the job removes expired sessions, codes, links and challenges, and no valid ones", async () => {
  const counts = async () =>
    (
      await query(`select (select count(*)::int from operator_session) as sessions, (select count(*)::int from operator_command_line) as codes,
        (select count(*)::int from operator_invitation) as links, (select count(*)::int from operator_passkey_challenge) as challenges`)
    ).rows[0];
  await query("delete from operator_command_line; delete from operator_passkey_challenge");
  const make = async (n: number) => {
    await operatorToken(query, "eve", { at: clock.now() });
    await requestCommandLine(ctx, "anna@laptop");
    await operate(admin(), "invite-operator", { email: `job${n}@example.com`, name: "Job", role: "support", reason: "New" });
    await query("insert into operator_passkey_challenge values (sha256(random()::text::bytea), null, $1)", [
      new Date(clock.now().getTime() + 5 * MINUTE_MS),
    ]);
  };
  await make(1);
  clock.advance(16 * MINUTE_MS);
  await make(2);
  const [job] = operatorJobs(ctx);
  await job!.run(new AbortController().signal);
  expect(await counts()).toEqual({ sessions: 1, codes: 1, links: 1, challenges: 1 });
});

describe("a command line", () => {
  test("is signed in once its code is confirmed, once, as the operator who confirmed it", async () => {
    const { code, token, url } = await requestCommandLine(ctx, "anna@laptop");
    expect(url).toBe(`https://farline.example/operator/command-line#${code}`);
    const asked = () => admitOperator(ctx, { token, kind: "command_line", right: "own-access" });
    await expect(asked()).rejects.toMatchObject({ code: "unauthenticated" });
    await confirmCommandLine(asOperator(ctx, "bob"), code.toLowerCase().replace("-", " "));
    expect((await asked()).operator.name).toBe("bob");
    await expect(confirmCommandLine(asOperator(ctx, "bob"), code)).rejects.toMatchObject({ code: "not_found" });
    expect(await record()).toEqual([
      { operator: "bob", action: "sign-in", subject: null, detail: { device: "anna@laptop", amount_micros: "0", reach: 0 } },
    ]);
  });

  test("is not signed in by another one's code, nor by a wrong one", async () => {
    const [mine, theirs] = [await requestCommandLine(ctx, "anna@laptop"), await requestCommandLine(ctx, "eve@laptop")];
    await expect(confirmCommandLine(asOperator(ctx, "bob"), "XXXX-XXXX")).rejects.toMatchObject({ code: "not_found" });
    await confirmCommandLine(asOperator(ctx, "bob"), mine.code);
    const asked = (token: string) => admitOperator(ctx, { token, kind: "command_line", right: "own-access" });
    await expect(asked(theirs.token)).rejects.toMatchObject({ code: "unauthenticated" });
    await confirmCommandLine(asOperator(ctx, "eve"), theirs.code);
    expect([(await asked(mine.token)).operator.name, (await asked(theirs.token)).operator.name]).toEqual(["bob", "eve"]);
  });

  test("is not signed in by an old code", async () => {
    const { code } = await requestCommandLine(ctx, "anna@laptop");
    clock.advance(10 * MINUTE_MS);
    await expect(confirmCommandLine(asOperator(ctx, "bob"), code)).rejects.toMatchObject({ code: "not_found" });
  });
});

test("the database refuses an approval by its own proposer", async () => {
  await query(
    "insert into customer (id, name, email, email_key, created_at) values ($1, 'Ada', 'a@b.example', 'a@b.example', now())",
    [testOperator("eve").id],
  );
  await query(
    `insert into approval (id, action, customer_id, amount_micros, detail, reason, proposed_by, proposed_at, expires_at)
     values (gen_random_uuid(), 'refund', $1, 1, '{}', 'By phone', $2, now(), '2099-01-01')`,
    [testOperator("eve").id, testOperator("bob").id],
  );
  const confirm = (name: string) =>
    query("update approval set state = 'confirmed', decided_by = $1, decided_at = now()", [testOperator(name).id]);
  await expect(confirm("bob")).rejects.toThrow("approval_by_another");
  await confirm("grace");
});
