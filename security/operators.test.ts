import { DAY_MS } from "@farline/domain/durations.ts";
import { operate } from "@farline/server/test/operate.ts";
import { operatorToken, resetOperators, testOperator } from "@farline/server/test/operators.ts";
import { asOperator, testContext } from "@farline/server/test/test-context.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { askService } from "./src/ask-service.ts";
import { newCustomer, type TestCustomer } from "./src/customers.ts";
import { Attempts } from "./src/attempts.ts";
import { startInstallation, type Installation } from "./src/product.ts";

const attempts = new Attempts();
const DOLLAR = 1_000_000n;
const BECAUSE = { reason: "A test" };

let at: Installation;
let accomplice: TestCustomer;
beforeAll(async () => {
  at = await startInstallation();
  accomplice = await newCustomer(at);
});
afterAll(async () => {
  await at?.close();
  expect(attempts.succeeded).toEqual([]);
});

const query = (text: string, values?: unknown[]) => at.database.handle.pool.query(text, values);
const canSignIn = (id: string) =>
  query("insert into operator_passkey values (gen_random_uuid(), $1, sha256(random()::text::bytea), '', 0, '{}', now())", [id]);

/** An operator's open console. */
interface Console {
  send(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly body: any; readonly text: string }>;
}

async function consoleWith(token: string): Promise<Console> {
  return {
    async send(method, path, body = BECAUSE) {
      const answer = await askService(`${at.url}/api/operator/${path}`, {
        method,
        headers: { cookie: `__Host-operator=${token}`, "content-type": "application/json" },
        ...(method === "GET" ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return { status: answer.status, text, body: text === "" ? null : JSON.parse(text) };
    },
  };
}
const consoleOf = async (name: string) => consoleWith(await operatorToken(query, name));
const openProposal = async (action: string): Promise<string> =>
  (
    (await query("select id from approval where action = $1 and state = 'open' order by proposed_at desc limit 1", [
      action,
    ])) as any
  ).rows[0]?.id ?? "";
const refused = ({ status }: { status: number }) => status >= 400 && status < 500;

beforeEach(async () => {
  await resetOperators(query);
  await query("update approval set state = 'rejected', decided_by = $1, decided_at = now() where state = 'open'", [
    testOperator("eve").id,
  ]);
  for (const name of ["grace", "ana"]) await canSignIn(testOperator(name).id);
});

test("one administrator cannot be two people with a colleague's access", async () => {
  const kind = "one operator as two people";
  const [grace, ana, ada] = await Promise.all(["grace", "ana", "ada"].map(consoleOf));
  const colleague = { email: "joan@example.com", name: "Joan", role: "admin", ...BECAUSE };
  await grace!.send("POST", "operators", colleague);
  const confirmed = await ana!.send("POST", `approvals/${await openProposal("invite-operator")}/confirm`);
  expect(confirmed.status).toBe(200);
  attempts.check(kind, "the link in the answer to who confirms", !confirmed.text.includes("invitation#"));
  const listed = await ana!.send("GET", "operators");
  const { id } = listed.body.operators.find(({ email }: { email: string }) => email === colleague.email);
  attempts.check(
    kind,
    "the link in the list of operators, the queue and the record",
    !(await everythingSeenBy(ana!)).includes("#fo_"),
  );
  for (const [who, console] of [
    ["who confirmed", ana],
    ["a third administrator", ada],
  ] as const)
    attempts.check(kind, `the link fetched by ${who}`, refused(await console!.send("POST", `operators/${id}/link/fetch`)));
  const link = await grace!.send("POST", `operators/${id}/link/fetch`);
  expect(link.body.url).toContain("#fo_");
  attempts.check(kind, "the link fetched twice", refused(await grace!.send("POST", `operators/${id}/link/fetch`)));

  // Whoever opened it now has a session as Joan.
  await canSignIn(id);
  const token = await operatorToken(query, "bob");
  await query("update operator_session set operator_id = $1 where operator_id = $2", [id, testOperator("bob").id]);
  const joan = await consoleWith(token);
  const credit = { amount: "5000", take: false, reason: "Sorry", key: crypto.randomUUID() };
  for (const [name, proposer, confirmer] of [
    ["who proposed the colleague, with the colleague", grace, joan],
    ["the colleague, with who proposed them", joan, grace],
    ["who confirmed the colleague, with the colleague", ana, joan],
    ["the colleague, with a third administrator", joan, ada],
  ] as const) {
    await proposer!.send("POST", `customers/${accomplice.id}/adjust`, { ...credit, key: crypto.randomUUID(), again: true });
    const done = await confirmer!.send("POST", `approvals/${await openProposal("adjust")}/confirm`);
    attempts.check(kind, `$5,000 by ${name}`, refused(done));
  }
  await joan.send("POST", "operators", { ...colleague, email: "kim@example.com", name: "Kim" });
  attempts.check(
    kind,
    "the invitation of another accomplice, proposed by the new one",
    refused(await ana!.send("POST", `approvals/${await openProposal("invite-operator")}/confirm`)),
  );
  expect(((await query("select balance_micros from account where customer_id = $1", [accomplice.id])) as any).rows).toEqual([
    { balance_micros: 0n },
  ]);
});

/** All that the console shows an administrator. */
async function everythingSeenBy(console: Console): Promise<string> {
  const pages = ["operators", "queue", "audit-log", "overview", "session"];
  return (await Promise.all(pages.map((path) => console.send("GET", path)))).map(({ text }) => text).join(" ");
}

test("whoever loses their right does nothing more, and an administrator remains", async () => {
  const kind = "operator after losing the right";
  const [grace, ana, bob] = await Promise.all(["grace", "ana", "bob"].map(consoleOf));
  const proposeCredit = (console: Console) =>
    console.send("POST", `customers/${accomplice.id}/adjust`, {
      amount: "500",
      take: false,
      reason: "Sorry",
      key: crypto.randomUUID(),
      again: true,
    });
  await proposeCredit(bob!);
  const proposal = await openProposal("adjust");
  await grace!.send("PUT", `operators/${testOperator("bob").id}/role`, { role: "support", ...BECAUSE });
  attempts.check(kind, "the proposal of a demoted operator", refused(await ana!.send("POST", `approvals/${proposal}/confirm`)));
  attempts.check(kind, "money by a demoted operator's open console", refused(await proposeCredit(bob!)));
  await grace!.send("POST", `operators/${testOperator("bob").id}/remove`);
  attempts.check(kind, "reading by a removed operator", refused(await bob!.send("GET", "overview")));

  await query("update operator set removed_at = now() where name = 'ada'");
  const each = (console: Console, other: string) => console.send("POST", `operators/${testOperator(other).id}/remove`);
  const both = await Promise.all([each(grace!, "ana"), each(ana!, "grace")]);
  attempts.check(kind, "two administrators who remove each other at the same moment", both.filter(refused).length === 1);
  const { rows } = (await query("select 1 from operator where role = 'admin' and removed_at is null")) as any;
  expect(rows).toHaveLength(1);
});

test("support raises nothing, neither in level nor in time", async () => {
  const kind = "support raising a customer's terms";
  const [bob, eve] = await Promise.all(["bob", "eve"].map(consoleOf));
  const term = (name: string, value: string, days: number) => ({
    name,
    value,
    until: new Date(Date.now() + days * DAY_MS).toISOString(),
    ...BECAUSE,
  });
  const path = `customers/${accomplice.id}/terms`;
  expect((await bob!.send("POST", path, term("tier", "known", 1))).status).toBe(200);
  expect((await bob!.send("POST", path, term("spend-per-day", "40", 1))).status).toBe(200);
  for (const [what, order] of [
    ["a year of what was set for a day", term("tier", "known", 365)],
    ["a higher tier", term("tier", "trusted", 1)],
    ["a day more of a limit", term("spend-per-day", "40", 2)],
    ["a higher limit for an hour", term("spend-per-day", "41", 1 / 24)],
    ["another limit fixed at what is earned", term("calls-per-day", "200", 365)],
  ] as const)
    attempts.check(kind, what, refused(await eve!.send("POST", path, order)));
  expect((await eve!.send("POST", path, term("spend-per-day", "10", 1))).status).toBe(200);
});

test("one operator gives no more than the limit, by any means together", async () => {
  const kind = "one operator beyond the limit";
  const ctx = testContext({ handle: at.database.handle });
  const promo = (code: string, dollars: bigint, maxUses: number | null, percent: number | null = null) =>
    operate(asOperator(ctx, "bob", "promotions"), "create-promo", {
      ...{ code, percent, fixedMicros: percent === null ? dollars * DOLLAR : null, maxUses, ...BECAUSE },
      ...{ maxBonusMicros: null, packageId: null, minMicros: 5n * DOLLAR, budgetMicros: null, startsAt: null, endsAt: null },
    }).then(
      () => false,
      () => true,
    );
  attempts.check(kind, "a code of $180 for $5", await promo("ONE", 180n, 1));
  attempts.check(kind, "a code of $1, a thousand times", await promo("TWO", 1n, 1_000));
  attempts.check(kind, "a code of 100 % of the largest top-up", await promo("THREE", 0n, 1, 100));
  attempts.check(kind, "a code without a bound", await promo("FOUR", 1n, null));
  const raced = await Promise.all(Array.from({ length: 6 }, (_, n) => promo(`RACE-${n}`, 40n, 1)));
  attempts.check(kind, "six codes of $40 at the same moment", raced.filter((one) => !one).length <= 2);
  const bob = await consoleOf("bob");
  const credit = { amount: "30", take: false, reason: "Sorry", key: crypto.randomUUID() };
  const { body } = await bob.send("POST", `customers/${accomplice.id}/adjust`, credit);
  attempts.check(kind, "credit on top of the codes", body.proposal !== null);
});
