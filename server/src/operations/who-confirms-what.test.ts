import type { OperatorRole } from "@farline/contract/operator/rights.ts";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { consoleApp, consoleCookie, type ConsoleApp } from "../../test/worlds/console-app.ts";
import { resetOperators, testOperator } from "../../test/operators.ts";
import { BillingWorld } from "../../test/worlds/billing-world.ts";
import { decidableActions, peopleRoutes } from "../operator/operator.ts";
import { operationRoutes } from "./operations.ts";

let world: BillingWorld;
let app: ConsoleApp;
beforeAll(async () => {
  world = await BillingWorld.start();
  app = consoleApp(world.service.ctx, operationRoutes, peopleRoutes);
});
afterAll(async () => {
  await app.close();
  await world.close();
});

const query = (text: string, values?: unknown[]) => world.database.handle.pool.query(text, values);

/** Who may decide what, by role. Everything that can be proposed is here. */
const DECIDES: Readonly<Record<string, readonly OperatorRole[]>> = {
  refund: ["finance", "admin"],
  "write-off": ["finance", "admin"],
  adjust: ["finance", "admin"],
  deduct: ["finance", "admin"],
  "refund-call": ["finance", "admin"],
  "create-promo": ["finance", "admin"],
  "set-term": ["finance", "admin"],
  unfreeze: ["finance", "admin"],
  "activate-deck": ["admin"],
  "set-setting": ["admin"],
  "invite-operator": ["admin"],
  "change-role": ["admin"],
  "renew-invitation": ["admin"],
};

const NAMES = { support: "eve", finance: "bob", admin: "ana" } as const satisfies Record<OperatorRole, string>;
/** An administrator, who may propose everything. */
const PROPOSER = "grace";
const change = (set: string) => (name: string) => query(`update operator set ${set} where name = $1`, [name]);
const endSession = (name: string) => query("delete from operator_session where operator_id = $1", [testOperator(name).id]);
const agedSession = (column: string, by: string) => (name: string) =>
  query(`update operator_session set ${column} = ${column} - interval '${by}' where operator_id = $1`, [testOperator(name).id]);

/** What may have happened to who confirms, after they signed in, and the refusal. */
const CONFIRMERS: readonly (readonly [string, (name: string) => Promise<unknown>, string | null])[] = [
  ["in good standing", async () => undefined, null],
  ["let in, renewed or raised this week", change("trusted_from = now() + interval '6 days'"), "operator.not_second_person"],
  ["demoted", change("role = 'support'"), "operator.not_your_role"],
  ["removed", change("removed_at = now()"), "operator.signed_out"],
  ["signed out by another", endSession, "operator.signed_out"],
  ["signed in for too long", agedSession("expires_at", "9 hours"), "operator.signed_out"],
  ["away for too long", agedSession("last_seen_at", "16 minutes"), "operator.signed_out"],
  ["proved long ago", agedSession("proved_at", "6 minutes"), "operator.prove_again"],
];
const PROPOSERS: readonly (readonly [string, (name: string) => Promise<unknown>, string | null])[] = [
  ["in good standing", async () => undefined, null],
  ["let in, renewed or raised this week", change("trusted_from = now() + interval '6 days'"), "operator.not_second_person"],
  ["demoted", change("role = 'support'"), "operator.proposer_lost_right"],
  ["removed", change("removed_at = now()"), "operator.no_proposal"],
  ["signed out by another", endSession, null],
];
/** Support may propose these, so a demotion to it ends none of them. */
const PROPOSED_BY_SUPPORT = new Set(["refund", "refund-call"]);

async function insertProposal(action: string, proposer: string): Promise<string> {
  const id = randomUUID();
  await query(
    `insert into approval (id, action, customer_id, subject, amount_micros, detail, reason, proposed_by, proposed_at, expires_at)
     values ($1, $2, null, null, null, '{}', 'A test', $3, $4, $4::timestamptz + interval '1 day')`,
    [id, action, testOperator(proposer).id, world.service.clock.now()],
  );
  return id;
}

const signIn = (name: string) => consoleCookie(world.service.ctx, name);

const ABOUT_PERSONS = new Set(
  [...CONFIRMERS, ...PROPOSERS].flatMap(([, , refusal]) => refusal ?? []).concat("operator.own_proposal"),
);

/** Why the person is refused; null if they were not, whatever becomes of the made-up proposal. */
async function confirm(cookie: string, id: string): Promise<string | null> {
  const answer = await app.app.inject({ method: "POST", url: `/api/operator/approvals/${id}/confirm`, headers: { cookie } });
  const { reason = "" } = answer.json<{ reason?: string }>();
  return ABOUT_PERSONS.has(reason) ? reason : null;
}

test.each(Object.entries(DECIDES))("%s is decided by these roles, in this standing, for this proposer", async (action, roles) => {
  const wrong: string[] = [];
  for (const role of Object.keys(NAMES) as OperatorRole[])
    for (const [standing, happens, refusal] of CONFIRMERS)
      for (const [proposerIs, toProposer, proposerRefusal] of PROPOSERS) {
        await resetOperators(query);
        const cookie = await signIn(NAMES[role]);
        await signIn(PROPOSER);
        const id = await insertProposal(action, PROPOSER);
        await happens(NAMES[role]);
        await toProposer(PROPOSER);
        const mayDecide = standing !== "demoted" && roles.includes(role);
        const ofProposer = proposerIs === "demoted" && PROPOSED_BY_SUPPORT.has(action) ? null : proposerRefusal;
        const wanted = expected({ mayDecide, refusal, ofProposer });
        const got = await confirm(cookie, id);
        if (!wanted.includes(got))
          wrong.push(`${role} ${standing}, proposer ${proposerIs}: ${got} instead of ${wanted.join(" or ")}`);
      }
  expect(wrong).toEqual([]);
});

/** The session is judged first, then whether the proposal is there, then the role, then the proposer, then the week. */
function expected(of: { mayDecide: boolean; refusal: string | null; ofProposer: string | null }): (string | null)[] {
  const { mayDecide, refusal, ofProposer } = of;
  if (refusal === "operator.signed_out") return [refusal];
  if (!mayDecide) return ["operator.not_your_role", "operator.prove_again", "operator.no_proposal"];
  if (refusal === "operator.prove_again") return [refusal];
  return [ofProposer ?? refusal];
}

test("everything that can be proposed is in the table", () => {
  expect(decidableActions("admin").toSorted()).toEqual(Object.keys(DECIDES).toSorted());
});

test("nobody decides their own proposal, whatever it is", async () => {
  await resetOperators(query);
  const refusals: [string, string | null][] = [];
  for (const action of Object.keys(DECIDES))
    refusals.push([action, await confirm(await signIn(PROPOSER), await insertProposal(action, PROPOSER))]);
  expect(refusals).toEqual(Object.keys(DECIDES).map((action) => [action, "operator.own_proposal"]));
});
