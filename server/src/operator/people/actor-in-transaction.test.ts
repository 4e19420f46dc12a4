import { MINUTE_MS } from "@farline/domain/durations.ts";
import { actorOf } from "./operator-sessions.ts";
import { operate } from "../../../test/operate.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { operatorToken, resetOperators, testOperator } from "../../../test/operators.ts";
import { asOperator, testContext } from "../../../test/test-context.ts";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";
import { actingAs, type OperatorContext, type ServiceContext } from "../../context.ts";
import { ManualClock } from "../../../test/manual-clock.ts";
import { admitOperator, MOVES_NOTHING, recordOperation } from "../operator.ts";

let database: TestDatabase;
let clock: ManualClock;
let ctx: ServiceContext;
beforeAll(async () => {
  database = await testDatabase({ poolSize: 6 });
});
afterAll(() => database.close());
beforeEach(async () => {
  await resetOperators(query);
  clock = new ManualClock(new Date());
  ctx = testContext({ handle: database.handle, clock });
});

const query = (text: string, values?: unknown[]) => database.handle.pool.query(text, values);
const giveSignIn = (name: string) =>
  query("insert into operator_passkey values (gen_random_uuid(), $1, sha256(random()::text::bytea), '', 0, '{}', now())", [
    testOperator(name).id,
  ]);
const rows = async (text: string) => (await query(text)).rows;

/** Bob's context after his request was admitted. */
async function admitted(kind: "console" | "command_line" = "console"): Promise<OperatorContext> {
  const token = await operatorToken(query, "bob", { at: clock.now(), kind });
  return actingAs(ctx, actorOf(await admitOperator(ctx, { token, kind, right: "money" }), "money"));
}

/** Any verb: it does something, waits, and records. */
const act = (bob: OperatorContext, meanwhile: () => Promise<unknown> = async () => undefined) =>
  bob.transaction(async (tx) => {
    await tx.updateTable("operator_command_line").set({ device: "changed" }).execute();
    await meanwhile();
    await recordOperation(tx, bob, { moves: MOVES_NOTHING, action: "freeze", customerId: null, subject: null, reason: "A test" });
  });

const bob = { operator: "bob@farline.example", reason: "They left" };
const ana = () => asOperator(ctx, "ana", "operators");
const LOST: readonly (readonly [string, () => unknown, string])[] = [
  ["was removed", () => operate(ana(), "remove-operator", bob), "unauthenticated"],
  ["was demoted", () => operate(ana(), "change-role", { ...bob, role: "support" }), "forbidden"],
  ["was signed out", () => operate(ana(), "end-operator-sessions", bob), "unauthenticated"],
  ["proved long ago", () => clock.advance(6 * MINUTE_MS), "reauth_required"],
  ["was away", () => clock.advance(16 * MINUTE_MS), "unauthenticated"],
];

test.each(LOST)(
  "who %s after the request was admitted does nothing, in the console or on the command line",
  async (_, happens, code) => {
    for (const kind of ["console", "command_line"] as const) {
      await resetOperators(query);
      const context = await admitted(kind);
      await happens();
      await expect(act(context)).rejects.toMatchObject({ code });
    }
  },
);

test.each(LOST)("who %s while the verb waits does nothing: recording is the last word", async (_, happens, code) => {
  const context = await admitted();
  await expect(act(context, async () => happens())).rejects.toMatchObject({ code });
  expect(await rows("select 1 from operation where action = 'act'")).toEqual([]);
});

test("whoever is about to be removed finishes what was recorded, and the removal waits for it", async () => {
  const context = await admitted();
  let removed: Promise<unknown> | undefined;
  await context.transaction(async (tx) => {
    await recordOperation(tx, context, {
      moves: MOVES_NOTHING,
      action: "freeze",
      customerId: null,
      subject: null,
      reason: "A test",
    });
    removed = operate(ana(), "remove-operator", bob);
    expect(await rows("select 1 from operator where name = 'bob' and removed_at is null")).toHaveLength(1);
  });
  await removed;
  await expect(act(context)).rejects.toMatchObject({ code: "unauthenticated" });
});

test.each(["demote", "remove"] as const)(
  "of two administrators who %s each other at the same moment, one remains",
  async (what) => {
    for (let round = 0; round < 5; round += 1) {
      await resetOperators(query);
      await query("update operator set removed_at = now() where name = 'ada'");
      await Promise.all([giveSignIn("grace"), giveSignIn("ana")]);
      const on = (name: string) => ({ operator: `${name}@farline.example`, reason: "A quarrel" });
      const does = (by: string, to: string) =>
        what === "remove"
          ? operate(asOperator(ctx, by, "operators"), "remove-operator", on(to))
          : operate(asOperator(ctx, by, "operators"), "change-role", { ...on(to), role: "support" });
      const done = await Promise.allSettled([does("grace", "ana"), does("ana", "grace")]);
      expect(done.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
      expect(await rows("select 1 from operator where role = 'admin' and removed_at is null")).toHaveLength(1);
    }
  },
);

test("the database keeps an administrator who can sign in, whoever writes", async () => {
  await query("update operator set removed_at = now() where name = 'ada'");
  await Promise.all([giveSignIn("grace"), giveSignIn("ana")]);
  const refused = { constraint: "operator_keeps_admin" };
  const write = (set: string, name: string) => query(`update operator set ${set} where name = $1`, [name]);
  const done = await Promise.allSettled([write("role = 'support'", "grace"), write("removed_at = now()", "ana")]);
  expect(done.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  const left = (await rows("select name from operator where role = 'admin' and removed_at is null"))[0].name;
  await expect(write("role = 'finance'", left)).rejects.toMatchObject(refused);
  await expect(write("removed_at = now()", left)).rejects.toMatchObject(refused);
  await expect(query("delete from operator_passkey where operator_id = $1", [testOperator(left).id])).rejects.toMatchObject(
    refused,
  );
});
