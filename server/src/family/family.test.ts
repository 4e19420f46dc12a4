import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { sql } from "kysely";
import { MAX_FAMILY, MAX_FAMILY_INVITATIONS } from "@farline/domain/calls/family-limits.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { createCallWorld, type CallWorld } from "../../test/worlds/call-world.ts";
import { familyOf } from "../../test/worlds/family-of.ts";
import type { ErrorBody } from "@farline/contract/errors.ts";
import { lockCustomer, type Customer } from "../accounts/accounts.ts";
import { endFamilyAccess, familyJobs } from "./family.ts";

let world: CallWorld;
let family: ReturnType<typeof familyOf>;
let owner: Customer;
beforeAll(async () => {
  world = await createCallWorld();
  family = familyOf(world);
});
afterAll(() => world.close());
beforeEach(async () => {
  owner = await world.customer({ tier: "trusted" });
});

const person = () => world.customer({ tier: "known", creditMicros: 0n });
const reasonOf = ({ body }: { body: Partial<ErrorBody> }) => body.reason;
const people = async (customer: Customer) => (await family.request(customer, "GET")).body.family;

describe("an invitation", () => {
  test("by link makes one person a member, with the owner's limits and the member's choices", async () => {
    const [member, stranger] = [await person(), await person()];
    const token = await family.invite(owner, { daily_cap: "2", countries: ["GB"], time_zone: "Europe/London" });
    const limits = { daily_cap: "2.00", monthly_cap: null, countries: ["GB"], time_zone: "Europe/London" };
    const shown = await world.request(member, { method: "POST", path: "/api/family/invitation", body: { token } });
    expect(shown.body).toEqual({ owner_name: "Test", limits });
    expect(await people(member)).toBeNull();
    expect((await family.accept(member, token)).status).toBe(200);
    const { family: seen } = (await family.request(member, "GET")).body;
    expect(seen).toMatchObject({ is_owner: false, members: [{ id: member.id, owner_pays: true, shows_numbers: false, limits }] });
    expect(await people(owner)).toMatchObject({ is_owner: true, members: [{ id: member.id, limits }], invitations: [] });
    expect((await family.accept(stranger, token)).status).toBe(422);
    expect(await people(stranger)).toBeNull();
  });

  test("tells a visitor a first name and limits, changes nothing, and says nothing once it is over or its owner cannot pay", async () => {
    const [token, used] = [await family.invite(owner, { daily_cap: "2" }), await family.invite(owner)];
    const open = (by: string) =>
      world.request<any>(null, { method: "POST", path: "/api/family/invitation", body: { token: by } });
    for (let times = 0; times < 2; times++) {
      const { body } = await open(token);
      expect(body).toEqual({ owner_name: "Test", limits: family.limits({ daily_cap: "2.00" }) });
    }
    expect(await people(owner)).toMatchObject({ members: [], invitations: [{}, {}] });
    await family.accept(await person(), used);
    const { request_id: _, ...over } = (await open(used)).body;
    expect(over).toMatchObject({ code: "link_expired" });
    const { db } = world.database.handle;
    for (const state of [sql`status = 'frozen'`, sql`status = 'active', closes_at = now()`]) {
      await sql`update customer set ${state} where id = ${owner.id}`.execute(db);
      for (const made of [token, `${token}x`, "x".repeat(token.length)])
        expect((await open(made)).body).toEqual({ ...over, request_id: expect.any(String) });
      expect(reasonOf(await family.accept(await person(), token))).toBe(over.reason);
    }
  });

  test("by mail that was passed on lets nobody in but the address that it was sent to", async () => {
    const [invited, other] = [await person(), await person()];
    await family.request(owner, "POST", "/invitations", { email: invited.email.toUpperCase(), limits: family.limits() });
    const token = (await people(owner))?.invitations[0]?.link.split("#t=")[1] ?? "";
    expect(reasonOf(await family.accept(other, token))).toBe("family_other_address");
    expect((await family.accept(invited, token)).status).toBe(200);
  });

  test("by link is refused to the owner who made it, and stays open for the person it is meant for", async () => {
    const token = await family.invite(owner);
    const accepted = await family.accept(owner, token);
    expect([accepted.status, reasonOf(accepted)]).toEqual([409, "family_own_link"]);
    expect((await family.accept(await person(), token)).status).toBe(200);
    expect(reasonOf(await family.accept(owner, await family.invite(owner)))).toBe("family_own_link");
  });

  test("of another family is refused to an owner, a member and one who was removed, without an internal error", async () => {
    const [other, member, child] = [await world.customer({ tier: "trusted" }), await person(), await person()];
    await family.join(other, member);
    const old = await family.invite(other);
    const [first, second] = [await family.invite(owner), await family.invite(owner)];
    expect(reasonOf(await family.accept(other, first))).toBe("family_already");
    await family.join(owner, child);
    expect(reasonOf(await family.accept(child, second))).toBe("family_already");
    expect(reasonOf(await family.accept(child, old))).toBe("family_already");
    await family.request(owner, "DELETE", `/members/${child.id}`);
    expect((await family.accept(child, old)).status).toBe(200);
    expect((await family.accept(child, old)).status).toBe(422);
    await family.request(other, "DELETE");
    expect((await family.accept(child, old)).status).toBe(422);
    const both = await Promise.all([first, second].map((token) => family.accept(child, token)));
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  });

  test("used by two people at once lets one of them in", async () => {
    const both = [await person(), await person()];
    const token = await family.invite(owner);
    const answers = await Promise.all(both.map((one) => family.accept(one, token)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 422]));
    expect((await people(owner))?.members).toHaveLength(1);
  });

  test("ends after seven days, by the owner, and with the family", async () => {
    const [late, withdrawn, ended] = [await family.invite(owner), await family.invite(owner), await family.invite(owner)];
    const [, { id } = { id: "" }] = (await people(owner))?.invitations ?? [];
    expect((await family.request(owner, "DELETE", `/invitations/${id}`)).status).toBe(200);
    expect((await family.accept(await person(), withdrawn)).status).toBe(422);
    world.clock.advance(7 * DAY_MS);
    expect((await family.accept(await person(), late)).status).toBe(422);
    for (const job of familyJobs(world.ctx)) await job.run(new AbortController().signal);
    const { rows } = await sql`select from family_invitation where customer_id = ${owner.id}`.execute(world.database.handle.db);
    expect(rows).toEqual([]);
    const fresh = await family.invite(owner);
    expect((await family.request(owner, "DELETE")).body.family).toBeNull();
    for (const token of [ended, fresh, "x".repeat(64)]) expect((await family.accept(await person(), token)).status).toBe(422);
  });

  test("by mail is written in the invited person's language, without a name that carries a message", async () => {
    const invited = await person();
    const { db } = world.database.handle;
    await sql`update customer set language = 'fr' where id = ${invited.id}`.execute(db);
    for (const email of [invited.email, "new@example.com"])
      await family.request(owner, "POST", "/invitations", { email, limits: family.limits() });
    const { rows } = await sql<any>`select recipient, language, data from mail where template = 'family_invitation' and key in (
      select 'family_invitation ' || id from family_invitation where customer_id = ${owner.id}) order by created_at, language desc`.execute(
      db,
    );
    expect(new Map(rows.map(({ recipient, language }) => [recipient, language]))).toEqual(
      new Map([
        [invited.email, "fr"],
        ["new@example.com", "en"],
      ]),
    );
    expect(JSON.stringify(rows)).not.toContain("#t=");
  });

  test("is refused while there are too many open ones or people, and changes nothing", async () => {
    const tokens = [];
    for (let made = 0; made < MAX_FAMILY_INVITATIONS; made++) tokens.push(await family.invite(owner));
    const more = await family.request(owner, "POST", "/invitations", { email: null, limits: family.limits() });
    expect([more.status, reasonOf(more)]).toEqual([409, "family_invitations_full"]);
    for (const token of tokens) expect((await family.accept(await person(), token)).status).toBe(200);
    expect((await people(owner))?.members).toHaveLength(MAX_FAMILY - 1);
    expect(reasonOf(await family.request(owner, "POST", "/invitations", { email: null, limits: family.limits() }))).toBe(
      "family_full",
    );
  });

  test("is refused with a time zone that only the service knows, as a change of limits is, because no call could be counted", async () => {
    const member = await person();
    await family.join(owner, member);
    const limits = family.limits({ time_zone: "Moon/Copernicus" });
    // As if the service's time zones were newer than the database's.
    const newer = vi.spyOn(Intl, "DateTimeFormat").mockImplementation(
      class {
        resolvedOptions = () => ({ timeZone: "Moon/Copernicus" });
      } as never,
    );
    try {
      const invited = await family.request(owner, "POST", "/invitations", { email: null, limits });
      expect([invited.status, reasonOf(invited)]).toEqual([422, "time_zone_unknown"]);
      const changed = await family.request(owner, "PUT", `/members/${member.id}/limits`, limits);
      expect([changed.status, reasonOf(changed)]).toEqual([422, "time_zone_unknown"]);
    } finally {
      newer.mockRestore();
    }
    expect(await people(owner)).toMatchObject({ members: [{ id: member.id, limits: { time_zone: "UTC" } }], invitations: [] });
  });

  test("is refused to people in a family, unconfirmed or locked accounts, and unreadable limits", async () => {
    const [member, unconfirmed] = [await person(), await world.customer({ tier: "unverified" })];
    const frozen = await world.customer({ tier: "known", status: "frozen" });
    await family.join(owner, member);
    const invite = async (by: Customer, limits = family.limits()) =>
      reasonOf(await family.request(by, "POST", "/invitations", { email: null, limits }));
    expect(await invite(member)).toBe("family_elsewhere");
    expect(await invite(unconfirmed)).toBe("family_email_not_confirmed");
    expect(await invite(frozen)).toBe("account_frozen");
    for (const limits of [{ daily_cap: "0" }, { monthly_cap: "10001" }, { countries: ["ZZ"] }, { time_zone: "Nowhere" }])
      expect((await family.request(owner, "POST", "/invitations", { email: null, limits: family.limits(limits) })).status).toBe(
        422,
      );
    const token = await family.invite(await world.customer({ tier: "trusted" }));
    expect(reasonOf(await family.accept(member, token))).toBe("family_already");
    expect(reasonOf(await family.accept(owner, token))).toBe("family_already");
    expect(reasonOf(await family.accept(unconfirmed, token))).toBe("family_email_not_confirmed");
    expect(reasonOf(await family.accept(frozen, token))).toBe("account_frozen");
    expect((await family.accept(await person(), token)).status).toBe(200);
  });
});

describe("people", () => {
  test("leave, are removed, and all go with the owner", async () => {
    const [one, two, three] = [await person(), await person(), await person()];
    for (const member of [one, two, three]) await family.join(owner, member);
    expect((await family.request(one, "DELETE")).body.family).toBeNull();
    expect((await family.request(owner, "DELETE", `/members/${two.id}`)).body.family?.members.map(({ id }) => id)).toEqual([
      three.id,
    ]);
    expect((await family.request(owner, "DELETE", `/members/${owner.id}`)).status).toBe(404);
    expect((await family.request(owner, "DELETE")).body.family).toBeNull();
    expect(await people(three)).toBeNull();
    expect((await family.request(three, "DELETE")).status).toBe(404);
  });

  test("cannot see or change each other, other families, or what the owner alone decides", async () => {
    const [one, two, stranger] = [await person(), await person(), await world.customer({ tier: "trusted" })];
    await family.join(owner, one);
    await family.join(owner, two);
    await family.join(stranger, await person());
    const seen = await people(one);
    expect([seen?.members.map(({ id }) => id), seen?.invitations]).toEqual([[one.id], []]);
    expect(JSON.stringify(seen)).not.toContain(two.id);
    for (const thief of [one, stranger]) {
      expect((await family.request(thief, "DELETE", `/members/${two.id}`)).status).toBe(404);
      expect((await family.request(thief, "PUT", `/members/${two.id}/limits`, family.limits())).status).toBe(404);
      expect((await family.request(thief, "GET", `/members/${two.id}/calls`)).status).toBe(404);
    }
    expect((await family.request(one, "PUT", `/members/${one.id}/limits`, family.limits())).status).toBe(404);
    expect((await people(owner))?.members).toHaveLength(2);
  });

  test("hear of each change on their open pages", async () => {
    const member = await person();
    await family.join(owner, member);
    const [toOwner, toMember] = [world.hintsFor(owner), world.hintsFor(member)];
    await family.request(owner, "PUT", `/members/${member.id}/limits`, family.limits({ daily_cap: "1" }));
    for (const hints of [toOwner, toMember]) await expect.poll(() => hints).toContainEqual({ type: "balance" });
  });
});

describe("an owner who ends what an intruder set up", () => {
  const waiting = async () =>
    (
      await sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(world.database.handle.db)
    ).rows[0]?.count;

  test("ends it also for requests that came before and are handled after", async () => {
    const [member, next] = [await person(), await person()];
    await family.join(owner, member);
    const token = await family.invite(owner);
    await sql`delete from session where customer_id in (${owner.id}, ${member.id}, ${next.id})`.execute(world.database.handle.db);
    const late = [
      await family.request(owner, "POST", "/invitations", { email: null, limits: family.limits() }),
      await family.request(owner, "PUT", `/members/${member.id}/limits`, family.limits()),
      await family.accept(next, token),
      await family.choose(member, { shows_numbers: true }),
    ];
    expect(late.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    expect((await people(owner))?.invitations).toHaveLength(1);
    expect(await people(next)).toBeNull();
  });

  test("waits for somebody who joins at that moment, and then ends it for both", async () => {
    const [member, other] = [await person(), await world.customer({ tier: "trusted" })];
    const token = await family.invite(owner);
    await family.invite(other);
    const held = await world.database.handle.db.startTransaction().execute();
    // Keeps the one who joins between taking the invitation and becoming a member.
    await sql`insert into family_member (customer_id, owner_id, joined_at) values (${member.id}, ${other.id}, now())`.execute(
      held,
    );
    const joining = family.accept(member, token);
    await expect.poll(waiting).toBe(1);
    const ending = world.ctx.transaction(async (tx) => {
      await lockCustomer(tx, owner.id);
      return endFamilyAccess(tx, { customerId: owner.id, firstProof: false, at: world.clock.now() });
    });
    await expect.poll(waiting).toBe(2);
    await held.rollback().execute();
    expect((await joining).status).toBe(200);
    expect(await ending).toEqual(["family"]);
    expect([await people(owner), await people(member)]).toEqual([null, null]);
  });
});
