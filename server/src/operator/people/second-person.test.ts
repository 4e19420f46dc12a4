import { confirm, operate } from "../../../test/operate.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { resetOperators, testOperator } from "../../../test/operators.ts";
import { asOperator, testContext } from "../../../test/test-context.ts";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";
import { actingAs, type OperatorContext, type ServiceContext } from "../../context.ts";
import type { AppError } from "../../platform/app-error.ts";
import { ManualClock } from "../../../test/manual-clock.ts";
import { openApprovals, readOperators } from "../operator.ts";

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
  await resetOperators((text) => database.handle.pool.query(text));
  await sql`update approval set state = 'rejected', decided_by = ${testOperator("eve").id}, decided_at = now()
    where state = 'open'`.execute(database.handle.db);
  clock = new ManualClock(new Date());
  ctx = testContext({ handle: database.handle, clock });
});

const as = (name: string) => asOperator(ctx, name);
const inAWeek = () => new Date(clock.now().getTime() + 7 * DAY_MS);
const found = async (email: string) => (await readOperators(ctx)).find((one) => one.email === email);

/** An operator of the test database can sign in, or one who was invited. */
async function canSignIn(id: string): Promise<void> {
  await sql`insert into operator_passkey values
    (gen_random_uuid(), ${id}, sha256(random()::text::bytea), '', 0, '{}', now())`.execute(database.handle.db);
}

/** Joan, whom Grace let in alone as a second administrator. */
async function joan(): Promise<OperatorContext> {
  await operate(as("grace"), "invite-operator", JOAN);
  const operator = await found(JOAN.email);
  if (operator === undefined) throw new Error("Joan is missing.");
  await canSignIn(operator.id);
  const { id, name, role } = operator;
  return actingAs(ctx, { kind: "operator", id, name, role, right: "operators", session: null } as const);
}

/** The id of the proposal that an attempt becomes. */
async function proposed(attempt: Promise<unknown>): Promise<string> {
  const told = await attempt.then(
    () => null,
    (error: AppError) => error.messageRef,
  );
  expect(told).toMatchObject({ reason: "operator.second_operator_change" });
  return String(told?.params?.["proposal"]);
}

test("two administrators let a new operator in, who counts as a second person a week later", async () => {
  await canSignIn(testOperator("ana").id);
  const confirms = await proposed(operate(as("grace"), "invite-operator", JOAN));
  expect(await found(JOAN.email)).toBeUndefined();
  await expect(confirm(as("grace"), confirms)).rejects.toThrow("Another operator must confirm it.");
  await sql`update approval set input = input || '{"role": "support"}' where id = ${confirms}`.execute(database.handle.db);
  await expect(confirm(as("ana"), confirms)).rejects.toThrow("no longer matches the current state");
  await sql`update approval set input = input || '{"role": "admin"}' where id = ${confirms}`.execute(database.handle.db);
  expect(await confirm(as("ana"), confirms)).toBeNull();
  expect(await found(JOAN.email)).toMatchObject({ role: "admin", trusted_from: inAWeek() });
});

test("a higher role and a new link take two administrators; a lower role takes one", async () => {
  await canSignIn(testOperator("ana").id);
  const change = { operator: "eve@farline.example", reason: "Because" };
  const raised = await proposed(operate(as("grace"), "change-role", { ...change, role: "finance" }));
  expect((await found("eve@farline.example"))?.role).toBe("support");
  await confirm(as("ana"), raised);
  expect((await found("eve@farline.example"))?.role).toBe("finance");
  await operate(as("grace"), "change-role", { ...change, role: "support" });
  expect((await found("eve@farline.example"))?.role).toBe("support");
  await canSignIn(testOperator("bob").id);
  const link = { operator: "bob@farline.example", reason: "Lost the phone" };
  const renewed = await proposed(operate(as("grace"), "renew-invitation", link));
  expect((await found(link.operator))?.passkeys).toBe(1);
  await confirm(as("ana"), renewed);
  expect((await found(link.operator))?.passkeys).toBe(0);
});

test("an only administrator lets somebody in alone, who counts as a second person a week later", async () => {
  const second = await joan();
  const other = { ...JOAN, email: "mary@example.com", name: "Mary" };
  // Joan proposes with Grace's help, or Grace with Joan's: neither is confirmed, and no accomplice gets in.
  await canSignIn(testOperator("grace").id);
  const byJoan = await proposed(operate(second, "invite-operator", other));
  await expect(confirm(as("grace"), byJoan)).rejects.toThrow("counts as a second person only from");
  await operate(as("grace"), "invite-operator", other);
  expect((await found(other.email))?.trusted_from).toEqual(inAWeek());
  clock.advance(7 * DAY_MS);
  const third = { ...JOAN, email: "kim@example.com", name: "Kim" };
  const byGrace = await proposed(operate(as("grace"), "invite-operator", third));
  await confirm(second, byGrace);
  expect((await found(third.email))?.trusted_from).toEqual(inAWeek());
});

test("an only administrator's new link for a colleague, or a higher role, starts the week once more", async () => {
  await operate(as("grace"), "renew-invitation", { operator: "bob@farline.example", reason: "Lost the phone" });
  await operate(as("grace"), "change-role", { operator: "eve@farline.example", role: "finance", reason: "More work" });
  expect((await found("bob@farline.example"))?.trusted_from).toEqual(inAWeek());
  expect((await found("eve@farline.example"))?.trusted_from).toEqual(inAWeek());
});

test("the only other administrator gets a new link from the one who remains, because nobody else could confirm it", async () => {
  const ana = { operator: "ana@farline.example", reason: "Lost the phone" };
  for (const name of ["grace", "ana"]) await canSignIn(testOperator(name).id);
  await operate(as("grace"), "renew-invitation", ana);
  expect(await found(ana.operator)).toMatchObject({ passkeys: 0, trusted_from: inAWeek() });
});

test("the database refuses a confirmation with somebody who does not count yet, in either place", async () => {
  await sql`update operator set trusted_from = now() + interval '1 day' where name = 'bob'`.execute(database.handle.db);
  const confirmed = (proposer: string, decider: string) =>
    sql`insert into approval (id, action, detail, reason, proposed_by, proposed_at, expires_at, state, decided_by, decided_at)
      select gen_random_uuid(), 'refund', '{}', 'Because', p.id, now(), now() + interval '1 day', 'confirmed', d.id, now()
      from operator p, operator d where p.name = ${proposer} and d.name = ${decider}`.execute(database.handle.db);
  await expect(confirmed("grace", "bob")).rejects.toMatchObject({ constraint: "approval_by_trusted" });
  await expect(confirmed("bob", "grace")).rejects.toMatchObject({ constraint: "approval_by_trusted" });
  await confirmed("grace", "ana");
});

test("only who proposed somebody's access sees the link: once, and for a day", async () => {
  await canSignIn(testOperator("ana").id);
  const invite = async (by: string, confirmer: string) => {
    const confirms = await proposed(operate(as(by), "invite-operator", JOAN));
    expect(await confirm(as(confirmer), confirms)).toBeNull();
  };
  await invite("grace", "ana");
  const fetching = { operator: JOAN.email, reason: "Her sign-in" };
  for (const name of ["ana", "ada"])
    await expect(operate(as(name), "fetch-link", fetching)).rejects.toMatchObject({ code: "not_found" });
  for (const name of ["bob", "eve"])
    await expect(operate(as(name), "fetch-link", fetching)).rejects.toMatchObject({ code: "forbidden" });
  clock.advance(DAY_MS - 1);
  const { url, expiresAt } = await operate(as("grace"), "fetch-link", fetching);
  expect(expiresAt.getTime() - clock.now().getTime()).toBe(15 * 60_000);
  await expect(operate(as("grace"), "fetch-link", fetching)).rejects.toMatchObject({
    code: "not_found",
  });
  // The week begins with the link, not with the proposal.
  expect(await found(JOAN.email)).toMatchObject({ trusted_from: inAWeek() });
  // The link is nowhere in the audit log or in proposals.
  const token = url.split("#")[1] ?? "";
  const { rows } = await sql`select detail, reason from operation union all select detail, reason from approval`.execute(
    database.handle.db,
  );
  expect(JSON.stringify(rows)).not.toContain(token);
  expect(JSON.stringify(rows)).not.toContain("fo_");
});

test("a link that nobody fetched within a day is gone", async () => {
  await canSignIn(testOperator("ana").id);
  const change = { operator: "bob@farline.example", reason: "Lost the phone" };
  const confirms = await proposed(operate(as("grace"), "renew-invitation", change));
  await confirm(as("ana"), confirms);
  expect(await found(change.operator)).toMatchObject({ linkProposer: testOperator("grace").id, invitedUntil: null });
  clock.advance(DAY_MS);
  await expect(operate(as("grace"), "fetch-link", change)).rejects.toMatchObject({ code: "not_found" });
  expect(await found(change.operator)).toMatchObject({ linkProposer: null });
});

test("nobody let in this week is a second person for anybody: not for who let them in, nor for others, nor through another new one", async () => {
  await Promise.all([canSignIn(testOperator("grace").id), canSignIn(testOperator("ana").id)]);
  const confirms = await proposed(operate(as("grace"), "invite-operator", JOAN));
  await confirm(as("ana"), confirms);
  const operator = await found(JOAN.email);
  await canSignIn(operator!.id);
  const joanNow = actingAs(ctx, {
    kind: "operator",
    id: operator!.id,
    name: "Joan",
    role: "admin",
    right: "operators",
    session: null,
  } as const);
  const kim = { ...JOAN, email: "kim@example.com", name: "Kim" };
  const refused = "counts as a second person only from";
  for (const name of ["grace", "ana", "ada"]) {
    const byName = await proposed(operate(as(name), "invite-operator", kim));
    await expect(confirm(joanNow, byName)).rejects.toThrow(refused);
    const byJoan = await proposed(operate(joanNow, "invite-operator", kim));
    await expect(confirm(as(name), byJoan)).rejects.toThrow(refused);
  }
  clock.advance(7 * DAY_MS);
  const later = await proposed(operate(as("grace"), "invite-operator", kim));
  await confirm(joanNow, later);
});

test("the open proposals of an operator end when they are removed, or demoted below what the proposals take", async () => {
  const change = { operator: "bob@farline.example", reason: "They left" };
  const write = async (action: string) =>
    sql`insert into approval (id, action, detail, reason, proposed_by, proposed_at, expires_at)
      values (gen_random_uuid(), ${action}, '{}', 'Because', ${testOperator("bob").id}, ${clock.now()}, ${new Date(clock.now().getTime() + DAY_MS)})`.execute(
      database.handle.db,
    );
  const waiting = async () => (await openApprovals(ctx)).map(({ action }) => action).toSorted();
  await write("refund");
  await write("write-off");
  await operate(as("grace"), "change-role", { ...change, role: "support" });
  expect(await waiting()).toEqual(["refund"]);
  const { rows } = await sql`select operator, reason from operation where action = 'reject-proposal'`.execute(database.handle.db);
  expect(rows).toEqual([{ operator: "grace", reason: "The proposer's new role does not allow it." }]);
  await operate(as("grace"), "remove-operator", change);
  expect(await waiting()).toEqual([]);
});
