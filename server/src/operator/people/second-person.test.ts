import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { testOperator } from "../../../test/operators.ts";
import { asOperator, testContext } from "../../../test/test-context.ts";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";
import { actingAs, type OperatorContext, type ServiceContext } from "../../context.ts";
import { ManualClock } from "../../platform/clock.ts";
import { actorOf, changeRole, inviteOperator, openApprovals, readOperators, renewInvitation } from "../operator.ts";

const DAY_MS = 24 * 3_600_000;
const JOAN = { email: "joan@example.com", name: "Joan", role: "admin", reason: "New" } as const;

let database: TestDatabase;
let clock: ManualClock;
let ctx: ServiceContext;
beforeAll(async () => {
  database = await testDatabase({ poolSize: 4 });
});
afterAll(() => database.close());
beforeEach(async () => {
  await sql`delete from operator_passkey`.execute(database.handle.db);
  await sql`update approval set state = 'rejected', decided_by = ${testOperator("eve").id}, decided_at = now()
    where state = 'open'`.execute(database.handle.db);
  await sql`update operator set removed_at = case when email like '%@farline.example' then null else now() end`.execute(
    database.handle.db,
  );
  clock = new ManualClock(new Date());
  ctx = testContext({ handle: database.handle, clock });
});

const as = (name: string) => asOperator(ctx, name);
const found = async (email: string) => (await readOperators(ctx)).find((one) => one.email === email);

/** An operator of the test database can sign in, or one who was invited. */
async function canSignIn(id: string): Promise<void> {
  await sql`insert into operator_passkey values
    (gen_random_uuid(), ${id}, sha256(random()::text::bytea), '', 0, '{}', now())`.execute(database.handle.db);
}

/** Joan, whom Grace let in alone as a second administrator. */
async function joan(): Promise<OperatorContext> {
  await inviteOperator(as("grace"), JOAN);
  const operator = await found(JOAN.email);
  if (operator === undefined) throw new Error("Joan is missing.");
  await canSignIn(operator.id);
  return actingAs(ctx, actorOf({ operator }));
}

/** The id of the proposal that an attempt becomes. */
async function proposed(attempt: Promise<unknown>): Promise<string> {
  await expect(attempt).rejects.toThrow("Another administrator must confirm who is let in");
  return (await openApprovals(ctx)).at(-1)?.id ?? "";
}

test("two administrators let a new operator in, who counts as a second person at once", async () => {
  await canSignIn(testOperator("ana").id);
  const confirms = await proposed(inviteOperator(as("grace"), JOAN));
  expect(await found(JOAN.email)).toBeUndefined();
  await expect(inviteOperator(as("grace"), { ...JOAN, confirms })).rejects.toThrow("Another operator must confirm it.");
  await expect(inviteOperator(as("ana"), { ...JOAN, role: "support", confirms })).rejects.toThrow(
    "no longer matches the current state",
  );
  expect((await inviteOperator(as("ana"), { ...JOAN, confirms })).url).toContain("/operator/invitation#");
  expect(await found(JOAN.email)).toMatchObject({ role: "admin", trusted_from: clock.now() });
});

test("a higher role and a new link take two administrators; a lower role takes one", async () => {
  await canSignIn(testOperator("ana").id);
  const change = { operator: "eve@farline.example", reason: "Because" };
  const raised = await proposed(changeRole(as("grace"), { ...change, role: "finance" }));
  expect((await found("eve@farline.example"))?.role).toBe("support");
  await changeRole(as("ana"), { ...change, role: "finance", confirms: raised });
  expect((await found("eve@farline.example"))?.role).toBe("finance");
  await changeRole(as("grace"), { ...change, role: "support" });
  expect((await found("eve@farline.example"))?.role).toBe("support");
  await canSignIn(testOperator("bob").id);
  const link = { operator: "bob@farline.example", reason: "Lost the phone" };
  const renewed = await proposed(renewInvitation(as("grace"), link));
  expect((await found(link.operator))?.passkeys).toBe(1);
  await renewInvitation(as("ana"), { ...link, confirms: renewed });
  expect((await found(link.operator))?.passkeys).toBe(0);
});

test("an only administrator lets somebody in alone, who counts as a second person a week later", async () => {
  const second = await joan();
  const other = { ...JOAN, email: "mary@example.com", name: "Mary" };
  // Joan proposes with Grace's help, or Grace with Joan's: neither is confirmed, and no accomplice gets in.
  await canSignIn(testOperator("grace").id);
  const byJoan = await proposed(inviteOperator(second, other));
  await expect(inviteOperator(as("grace"), { ...other, confirms: byJoan })).rejects.toThrow(
    "counts as a second person only from",
  );
  await inviteOperator(as("grace"), other);
  expect((await found(other.email))?.trusted_from).toEqual(new Date(clock.now().getTime() + 7 * DAY_MS));
  clock.advance(7 * DAY_MS);
  const third = { ...JOAN, email: "kim@example.com", name: "Kim" };
  const byGrace = await proposed(inviteOperator(as("grace"), third));
  await inviteOperator(second, { ...third, confirms: byGrace });
  expect((await found(third.email))?.trusted_from).toEqual(clock.now());
});

test("an only administrator's new link for a colleague, or a higher role, starts the week once more", async () => {
  const inAWeek = new Date(clock.now().getTime() + 7 * DAY_MS);
  await renewInvitation(as("grace"), { operator: "bob@farline.example", reason: "Lost the phone" });
  await changeRole(as("grace"), { operator: "eve@farline.example", role: "finance", reason: "More work" });
  expect((await found("bob@farline.example"))?.trusted_from).toEqual(inAWeek);
  expect((await found("eve@farline.example"))?.trusted_from).toEqual(inAWeek);
  await sql`update operator set trusted_from = '2020-01-01', role = case name when 'eve' then 'support' else role end
    where name in ('eve', 'bob')`.execute(database.handle.db);
});

test("the database refuses a confirmation with somebody who does not count yet, in either place", async () => {
  await sql`update operator set trusted_from = now() + interval '1 day' where name = 'bob'`.execute(database.handle.db);
  const confirm = (proposer: string, decider: string) =>
    sql`insert into approval (id, action, detail, reason, proposed_by, proposed_at, expires_at, state, decided_by, decided_at)
      select gen_random_uuid(), 'refund', '{}', 'Because', p.id, now(), now() + interval '1 day', 'confirmed', d.id, now()
      from operator p, operator d where p.name = ${proposer} and d.name = ${decider}`.execute(database.handle.db);
  await expect(confirm("grace", "bob")).rejects.toMatchObject({ constraint: "approval_by_trusted" });
  await expect(confirm("bob", "grace")).rejects.toMatchObject({ constraint: "approval_by_trusted" });
  await confirm("grace", "ana");
  await sql`update operator set trusted_from = '2020-01-01' where name = 'bob'`.execute(database.handle.db);
});
