import { operate } from "../../../test/operate.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { ERASURE_GRACE_DAYS, keptGroups } from "@farline/contract/constants.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { insertPastCalls } from "../../../test/past-calls.ts";
import { findTraces, PERSON, plantPerson } from "../../../test/plant-person.ts";
import { PASSWORD } from "../../../test/worlds/account-world.ts";
import { personalWorld, type PersonalWorld } from "../../../test/worlds/personal-world.ts";
import { readAccountLines } from "../../billing/account-lines.ts";
import { ledger, verifyLedger } from "../../ledger/ledger.ts";
import { readClosingAccountOf } from "../personal-data.ts";
import { PERSONAL_TABLES } from "../personal-tables.ts";
import { requestErasure } from "./request-erasure.ts";
import { asOperator } from "../../../test/test-context.ts";

const CLOSING = "Your account will be deleted";
const ERASED = "Your account is deleted";

let world: PersonalWorld;
let person: Awaited<ReturnType<PersonalWorld["signUp"]>>;
beforeEach(async () => {
  world = await personalWorld();
  person = await world.signUp();
});
afterEach(() => world.close());

const query = async (sql: string, values: unknown[] = []) => (await world.database.handle.pool.query(sql, values)).rows;
const request = (method: "GET" | "POST" | "DELETE", body?: object, token = person.token) =>
  world.request(method, "/api/account/erasure", body, { token });
const order = (forfeited = "0.00") => request("POST", { forfeited });
const signInAgain = async () => (await world.signIn(person.email, PASSWORD)).json().token as string;
const mails = (subject: string, to = person.email) => world.mailbox.to(to).filter((mail) => mail.subject === subject);
const passGrace = () => world.clock.advance(ERASURE_GRACE_DAYS * DAY_MS);
const isErased = async () => (await query("select erased_at from account_erasure where erased_at is not null")).length === 1;
const credit = (kind: "top_up" | "bonus", dollars: number) =>
  ledger.credit(world.database.handle.db, {
    key: `${kind}:${dollars}`,
    customerId: person.id,
    kind,
    amountMicros: BigInt(dollars * 1e6),
    referenceId: null,
    description: "Credit",
  });

describe("a request to erase the account", () => {
  test("closes it, signs out every device, and tells the owner until when the erasure can be cancelled", async () => {
    expect((await order()).statusCode).toBe(202);
    expect((await request("GET")).statusCode).toBe(401);
    await world.deliver();
    expect(mails(CLOSING)[0]?.text).toContain("We delete it on March 15, 2026 at 12:00 PM UTC");
    const token = await signInAgain();
    const { user } = (await world.request("GET", "/api/user", undefined, { token })).json();
    expect(user).toMatchObject({ status: "closing", closes_at: "2026-03-15T12:00:00.000Z" });
    expect((await request("GET", undefined, token)).json().erasure).toEqual({
      at: "2026-03-15T12:00:00.000Z",
      begun: false,
      obstacle: null,
      withdrawable: "0.00",
      forfeited: "0.00",
      kept: expect.arrayContaining([...keptGroups]),
    });
  });

  test("needs a recent sign-in", async () => {
    world.clock.advance(11 * 60 * 1000);
    expect((await order()).json().code).toBe("reauth_required");
    expect(await query("select 1 from account_erasure")).toEqual([]);
  });

  test("that is repeated concurrently closes it once", async () => {
    await world.database.warmUp();
    const wanted = { customerId: person.id, forfeitedMicros: 0n, from: null, reason: null };
    await Promise.all(Array.from({ length: 5 }, () => requestErasure(world.ctx, wanted)));
    await world.deliver();
    expect(mails(CLOSING)).toHaveLength(1);
  });

  test("is refused while credit can be withdrawn, and needs consent to forfeit the rest", async () => {
    await credit("bonus", 2);
    expect((await request("GET")).json().erasure).toMatchObject({ obstacle: null, withdrawable: "0.00", forfeited: "2.00" });
    expect((await order("0.00")).json().code).toBe("erasure_blocked");
    expect((await order("2.00")).statusCode).toBe(202);
    const other = await world.signUp();
    await query(
      `insert into payment (id, customer_id, kind, charge_micros, status, payment_intent_id, expires_at, created_at, settled_at)
       values (gen_random_uuid(), $1, 'custom', 10000000, 'paid', 'pi_1', $2, $2, $2)`,
      [other.id, world.clock.now()],
    );
    const topUp = { key: "other", customerId: other.id, kind: "top_up" as const, amountMicros: 10_000_000n };
    await ledger.credit(world.database.handle.db, { ...topUp, referenceId: null, description: "Top-up" });
    expect((await request("GET", undefined, other.token)).json().erasure).toMatchObject({
      obstacle: "withdrawable_credit",
      withdrawable: "10.00",
    });
    const refused = (await request("POST", { forfeited: "10.00" }, other.token)).json();
    expect(refused).toMatchObject({ code: "erasure_blocked", message: expect.stringMatching(/Withdraw it first/) });
  });

  test.each([
    ["frozen", "update customer set status = 'frozen' where id = $1"],
    ["debt", "update account set debt_micros = 1000000 where customer_id = $1"],
    ["live_call", null],
  ])("is refused: %s", async (obstacle, sql) => {
    if (sql !== null) await query(sql, [person.id]);
    else await runningCall();
    expect((await request("GET")).json().erasure.obstacle).toBe(obstacle);
    expect((await order()).json().code).toBe("erasure_blocked");
  });
});

/** @returns its id */
async function runningCall(): Promise<string> {
  const [id = ""] = await insertPastCalls(world.database.handle.db, [
    { customerId: person.id, createdAt: world.clock.now(), chargeMicros: 0n },
  ]);
  await query("update call set status = 'ringing', ended_at = null, end_reason = null, next_check_at = now() where id = $1", [
    id,
  ]);
  return id;
}

describe("during the grace period", () => {
  test("the owner can sign in and cancel the erasure", async () => {
    await order();
    const token = await signInAgain();
    expect((await request("DELETE", undefined, token)).json().erasure).toMatchObject({ at: null, begun: false });
    expect((await request("DELETE", undefined, token)).json().code).toBe("conflict");
    passGrace();
    await world.work();
    expect(await query("select name, closes_at from customer where id = $1", [person.id])).toEqual([
      { name: "Ada Lovelace", closes_at: null },
    ]);
    const events = await query("select kind from security_event where customer_id = $1 order by happened_at, id", [person.id]);
    expect(events.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["erasure_requested", "erasure_called_off"]));
  });

  test("a copy of the data can still be prepared and downloaded", async () => {
    await world.request("POST", "/api/account/export", undefined, { token: person.token });
    await order();
    await world.work();
    const token = await signInAgain();
    expect((await world.request("GET", "/api/account/export", undefined, { token })).json().export.state).toBe("ready");
  });

  test("nothing is erased before the grace period ends", async () => {
    await order();
    world.clock.advance(ERASURE_GRACE_DAYS * DAY_MS - 1);
    await world.work();
    expect(await isErased()).toBe(false);
    world.clock.advance(1);
    await world.work();
    expect(await isErased()).toBe(true);
  });
});

describe("the erasure", () => {
  const PAYMENT = `insert into payment (id, customer_id, kind, charge_micros, status, session_id, payment_intent_id, expires_at, created_at)
    values ('00000000-0000-4000-8000-000000000001', $1, 'custom', 5000000, 'paid', 'cs_1', 'pi_1', now(), now() - interval '1 year')`;
  const OF_PAYMENT = "'00000000-0000-4000-8000-000000000001'";

  test.each([
    ["live_call", null, "update call set status = 'failed', end_reason = 'no_answer', ended_at = now(), next_check_at = null"],
    ["frozen", "update customer set status = 'frozen' where id = $1", "update customer set status = 'active'"],
    ["debt", "update account set debt_micros = 1 where customer_id = $1", "update account set debt_micros = 0"],
    ["pending_payment", "update payment set status = 'pending' where customer_id = $1", "update payment set status = 'failed'"],
    [
      "open_refund",
      `insert into refund (id, payment_id, customer_id, origin, amount_micros, status, created_at)
       values (gen_random_uuid(), ${OF_PAYMENT}, $1, 'operator', 1000000, 'ordered', now())`,
      "update refund set status = 'failed'",
    ],
    [
      "open_dispute",
      `insert into dispute (id, payment_id, amount_micros, reason, status, created_at, updated_at)
       select 'dp', id, 1000000, 'general', 'needs_response', now(), now() from payment where customer_id = $1`,
      "update dispute set status = 'won'",
    ],
    [
      "open_request",
      `insert into approval (id, action, customer_id, amount_micros, detail, reason, proposed_by, proposed_at, expires_at)
       select gen_random_uuid(), 'refund', $1, 1, '{}', 'By phone', id, now(), '2099-01-01' from operator where name = 'grace'`,
      "update approval set state = 'withdrawn', decided_by = proposed_by, decided_at = now()",
    ],
  ])("waits for its end while there is: %s", async (obstacle, begins, ends) => {
    await query(PAYMENT, [person.id]);
    await order();
    if (begins === null) await runningCall();
    else await query(begins, [person.id]);
    passGrace();
    await world.work();
    expect(await query("select blocked_by, begun_at from account_erasure")).toEqual([{ blocked_by: obstacle, begun_at: null }]);
    await query(ends);
    world.clock.advance(DAY_MS);
    await world.work();
    expect(await isErased()).toBe(true);
  });

  test("waits for an operator if credit arrived that was not forfeited", async () => {
    await order();
    await credit("bonus", 3);
    passGrace();
    await world.work();
    expect(await query("select blocked_by from account_erasure")).toEqual([{ blocked_by: "credit" }]);
  });

  test("of a family's member keeps the owner's sums without the person; that of its owner ends the family", async () => {
    const { db } = world.database.handle;
    const [owner, other] = [await world.signUp(), await world.signUp()];
    await query("insert into family_member (customer_id, owner_id, joined_at) values ($1, $1, now())", [owner.id]);
    for (const { id } of [person, other])
      await query(
        "insert into family_member (customer_id, owner_id, joined_at, owner_pays, shows_numbers) values ($1, $2, now(), true, true)",
        [id, owner.id],
      );
    const topUp = { key: "top-up", customerId: owner.id, kind: "top_up" as const, amountMicros: 100_000n, referenceId: null };
    await ledger.credit(db, { ...topUp, description: "Top-up" });
    const [callId = ""] = await insertPastCalls(db, [{ customerId: person.id, createdAt: world.clock.now() }]);
    await query("update call set payer_id = $2 where id = $1", [callId, owner.id]);
    const amounts = { wantMicros: 100_000n, leastMicros: 100_000n };
    await ledger.hold(db, { holdId: callId, customerId: owner.id, callerId: person.id, ...amounts });
    await ledger.postHold(db, { holdId: callId, chargeMicros: 100_000n, description: "Call of a family member" });
    const lines = async () => (await readAccountLines(world.ctx, owner.id, { limit: 10, group: "calls" })).data;
    expect(await lines()).toMatchObject([{ amount: "0.10", member: { name: "Ada Lovelace" } }]);

    await order();
    passGrace();
    await world.work();
    expect(await isErased()).toBe(true);
    expect(await lines()).toMatchObject([{ amount: "0.10", member: { name: null }, reference_id: null }]);
    expect(await query("select destination from call")).toEqual([{ destination: "+44*" }]);
    expect(await query("select customer_id from family_member where owner_id = $1 and customer_id <> $1", [owner.id])).toEqual([
      { customer_id: other.id },
    ]);

    await requestErasure(world.ctx, { customerId: owner.id, forfeitedMicros: 0n, from: null, reason: null });
    passGrace();
    await world.work();
    expect(await query("select 1 from family_member")).toEqual([]);
  });

  test("leaves no personal data in any table, and the ledger still balances", async () => {
    const { pool } = world.database.handle;
    await order();
    await plantPerson(world.database.handle, person.id);
    await query("update payment set created_at = now() - interval '1 year' where customer_id = $1", [person.id]);
    await query("delete from stripe_customer");
    await query("insert into stripe_customer values ($1, 'cus_planted', now())", [person.id]);
    expect((await findTraces(pool)).length).toBeGreaterThan(20);
    const entries = await query("select * from ledger_entry order by transaction_id, amount_micros");
    passGrace();
    await world.work();
    expect(await isErased()).toBe(true);
    // The last mail has the address until it is sent.
    const left = (await findTraces(pool)).map((line) => line.split(":")[0]);
    expect(new Set(left)).toEqual(new Set(["caller_number_removal", "mail"]));
    await world.deliver();
    expect(mails(ERASED, PERSON.email)).toHaveLength(1);
    expect((await findTraces(pool)).filter((line) => !line.startsWith("caller_number_removal"))).toEqual([]);

    expect(await query("select * from ledger_entry order by transaction_id, amount_micros")).toEqual(entries);
    expect(await verifyLedger(world.database.handle.db)).toEqual([]);
    const [call] = await query("select destination, country_code, charge_micros, caller_number from call");
    expect(call).toEqual({ destination: "+491515*", country_code: "DE", charge_micros: 100_000n, caller_number: null });
    expect(await query("select payment_intent_id, status, charge_micros from payment")).toEqual([
      { payment_intent_id: "pi_planted", status: "paid", charge_micros: 20_000_000n },
    ]);
    expect(await query("select number, buyer_name, buyer_email from receipt")).toEqual([
      { number: "2026-000001", buyer_name: "", buyer_email: "" },
    ]);
    expect(world.stripe.deletedCustomers).toEqual(["cus_planted"]);
  });

  test("deletes all rows that are classified for deletion, and removes the number at the provider", async () => {
    await order();
    await plantPerson(world.database.handle, person.id);
    await query("update payment set created_at = now() - interval '1 year' where customer_id = $1", [person.id]);
    for (const [table, { rows }] of Object.entries(PERSONAL_TABLES)) {
      const found = await query(`select 1 from ${table} where ${rows} limit 1`, [person.id]);
      expect([table, found.length]).toEqual([table, 1]);
    }
    passGrace();
    await world.work();
    for (const [table, { rows, erasure }] of Object.entries(PERSONAL_TABLES))
      if (erasure.how === "delete") {
        const left = await query(`select 1 from ${table} where ${rows}`, [person.id]);
        expect([table, left.length]).toEqual([table, 0]);
      }
    expect(await query("select number from caller_number_removal")).toEqual([{ number: PERSON.ownNumber }]);
  });

  test("posts the forfeited credit, so that no balance remains", async () => {
    await credit("bonus", 2);
    await order("2.00");
    passGrace();
    await world.work();
    expect(await query("select balance_micros, bonus_micros from account where customer_id = $1", [person.id])).toEqual([
      { balance_micros: 0n, bonus_micros: 0n },
    ]);
    expect(await verifyLedger(world.database.handle.db)).toEqual([]);
  });

  test("continues after a crash, and waits for an unavailable provider", async () => {
    await order();
    await query("insert into stripe_customer values ($1, 'cus_1', now())", [person.id]);
    passGrace();
    world.stripe.failNext = 3;
    await world.work();
    expect(await isErased()).toBe(false);
    const token = await signInAgain();
    expect((await request("DELETE", undefined, token)).json().code).toBe("conflict");
    expect((await request("GET", undefined, token)).json().erasure.begun).toBe(true);
    world.clock.advance(10 * 60 * 1000);
    await world.work();
    await world.work();
    expect(await isErased()).toBe(true);
    await world.deliver();
    expect(mails(ERASED)).toHaveLength(1);
  });

  test("frees the email address for a new account, and ends access to the old one", async () => {
    await order();
    const token = await signInAgain();
    passGrace();
    await world.work();
    expect((await request("GET", undefined, token)).statusCode).toBe(401);
    expect((await world.signIn(person.email, PASSWORD)).statusCode).toBe(422);
    const again = await world.request("POST", "/api/register", {
      name: "Ada Lovelace",
      email: person.email,
      password: PASSWORD,
      password_confirmation: PASSWORD,
    });
    expect(again.statusCode).toBe(201);
    expect(again.json().user.id).not.toBe(person.id);
  });
});

describe("an operator's command", () => {
  const order = () => ({ customer: person.email, reason: "RequestOptions by letter" });
  const grace = () => asOperator(world.ctx, "grace");
  const operations = () => query("select operator, action, reason, customer_id from operation order by happened_at, id");

  test("closes an account, cancels the erasure and mails a copy, each in the audit record", async () => {
    await credit("bonus", 2);
    expect(await readClosingAccountOf(world.ctx, person.id)).toEqual({
      email: person.email,
      lost: "2.00",
      obstacle: null,
      closes_at: null,
    });
    await operate(grace(), "erase-account", order());
    await world.deliver();
    expect(mails(CLOSING)).toHaveLength(1);
    await operate(grace(), "keep-account", order());
    expect(await operate(grace(), "export-account", order())).toBe(true);
    expect(await operate(grace(), "export-account", order())).toBe(false);
    expect(await operations()).toEqual(
      ["erase-account", "keep-account", "export-account"].map((action) => ({
        operator: "grace",
        action,
        reason: "RequestOptions by letter",
        customer_id: person.id,
      })),
    );
  });

  test("changes nothing for an unknown customer, or if it is refused", async () => {
    await expect(operate(grace(), "erase-account", { ...order(), customer: "no@example.com" })).rejects.toThrow(/no customer/);
    await query("update customer set status = 'frozen' where id = $1", [person.id]);
    expect((await readClosingAccountOf(world.ctx, person.id)).obstacle).toMatch(/locked/);
    await expect(operate(grace(), "erase-account", order())).rejects.toMatchObject({ code: "erasure_blocked" });
    expect(await operations()).toEqual([]);
    expect(await query("select 1 from data_export union all select 1 from account_erasure")).toEqual([]);
  });
});
