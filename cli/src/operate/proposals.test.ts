import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { declarationOf, operationNames, type OperationName } from "@farline/contract/operator/operations.ts";
import { columnMap, importDeck } from "@farline/server/decks/decks.ts";
import { DOLLAR, ledgerAccount } from "@farline/server/test/ledger-account.ts";
import { insertPastCalls } from "@farline/server/test/past-calls.ts";
import { asOperator, testContext } from "@farline/server/test/test-context.ts";
import { insertPaid } from "@farline/server/test/worlds/call-world.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandWorld, type CommandWorld } from "../../test/run-command.ts";

let world: CommandWorld;
let folder: string;
beforeAll(async () => {
  world = await commandWorld();
  folder = mkdtempSync(join(tmpdir(), "farline-proposals-"));
  // Who lets somebody in alone is alone: the others can sign in too.
  for (const { id } of (await query("select id from operator")).rows)
    await query(
      "insert into operator_passkey values (gen_random_uuid(), $1, sha256(random()::text::bytea), '', 0, '{}', now())",
      [id],
    );
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
});

const query = (text: string, values?: unknown[]) => world.database.handle.pool.query(text, values);
const WHY = ["--reason", "A test"];

/** A customer who has paid this much, and by calls has spent it or not. */
async function customerWith(dollars: bigint): Promise<string> {
  const { id } = await ledgerAccount(world.database.handle, dollars * DOLLAR);
  return id;
}

async function paymentOf(dollars: number): Promise<string> {
  const id = await customerWith(BigInt(dollars));
  await insertPaid(world.database.handle.db, id, { dollars, at: new Date() });
  const { rows } = await query("update payment set payment_intent_id = 'pi_test' where customer_id = $1 returning id", [id]);
  return rows[0].id;
}

/** A price list that is stored and not active. */
async function storedDeck(): Promise<string> {
  const path = join(folder, "first.csv");
  writeFileSync(path, "Prefix,Destination,Rate,Billing\n44,UK,0.02,1/1\n");
  const order = {
    ...{ path, source: "first.csv", name: null, trunk: null, newTrunk: null, kindSure: false, effective: null, increments: null },
    ...{ dates: null, skipLines: new Set<number>(), skipWords: new Set<string>(), columns: columnMap([]), newColumns: false },
    ...{ complete: false, preview: null, reason: "A test" },
  };
  const ctx = asOperator(testContext({ handle: world.database.handle }), "grace");
  const { preview } = await importDeck(ctx, order);
  return (await importDeck(ctx, { ...order, preview })).stored?.id ?? "";
}

/** The words of a command that is more than one operator may do, for each operation that can be proposed. */
const COMMANDS: Readonly<Record<string, () => Promise<string[]>>> = {
  unfreeze: async () => {
    const id = await customerWith(500n);
    await query("update customer set status = 'frozen', frozen_because = 'payment' where id = $1", [id]);
    return ["unfreeze", id];
  },
  "set-term": async () => ["terms", await customerWith(1n), "tier", "trusted"],
  adjust: async () => ["adjust", await customerWith(1n), "--amount", "150", "--add"],
  deduct: async () => {
    const account = await ledgerAccount(world.database.handle);
    await account.credit("bonus", 200n * DOLLAR);
    return ["adjust", account.id, "--amount", "150", "--take"];
  },
  "write-off": async () => {
    const account = await ledgerAccount(world.database.handle, 150n * DOLLAR);
    await account.call(150n * DOLLAR);
    await account.reverse("dispute", 150n * DOLLAR);
    return ["write-off", account.id];
  },
  refund: async () => ["refund", await paymentOf(150), "--amount", "all", "--outside", "transfer-1"],
  "refund-call": async () => {
    const account = await ledgerAccount(world.database.handle, 200n * DOLLAR);
    const at = new Date(Date.now() - 60_000);
    const [id = ""] = await insertPastCalls(world.database.handle.db, [
      { customerId: account.id, createdAt: at, chargeMicros: 150n * DOLLAR },
    ]);
    await account.hold(150n * DOLLAR, id);
    await account.post(id, 150n * DOLLAR);
    await query(
      "insert into call_refund_request (call_id, customer_id, reason, note, evidence, created_at) values ($1, $2, 'no_audio', '', '{}', now())",
      [id, account.id],
    );
    return ["refund-requests", "grant", id];
  },
  "activate-deck": async () => ["decks", "activate", await storedDeck(), "--effective", "now"],
  "create-promo": async () => [
    "promo",
    "create",
    "MANY",
    "--percent",
    "50",
    "--uses",
    "any",
    "--budget",
    "any",
    "--starts",
    "now",
    "--ends",
    "never",
  ],
  "set-setting": async () => ["setting", "set", "mark-up.percent", "200", "--from", "now"],
  "invite-operator": async () => ["operator", "add", "joan@example.com", "--role", "admin"],
  "renew-invitation": async () => ["operator", "link", "bob@farline.example"],
  "change-role": async () => ["operator", "role", "eve@farline.example", "--role", "admin"],
};

const proposable = operationNames.filter((name) => declarationOf(name).second !== undefined);

test("every operation that can be proposed has a command", () => {
  expect(Object.keys(COMMANDS).toSorted()).toEqual(proposable.toSorted());
});

test.each(proposable)("%s waits for a second operator, who confirms it on another command line", async (name: OperationName) => {
  const words = (await COMMANDS[name]?.()) ?? [];
  const reason = words[0] === "refund-requests" ? [] : WHY;
  const proposed = await world.run("grace", ...words, ...reason, "--json");
  expect([proposed.code, JSON.parse(proposed.output)]).toEqual([
    3,
    {
      error: expect.stringMatching(/^Nothing has .*an operator other than \w+ must confirm it/i),
      proposal: expect.any(String),
      messages: expect.any(Array),
      exit: 3,
    },
  ]);
  const { proposal } = JSON.parse(proposed.output);
  const listed = await world.run("ana", "approvals");
  expect(listed.output).toMatch(new RegExp(`proposal ${proposal}[^]*\n  ${declarationOf(name).label}[^]*\n  grace, \\S+: .+`));
  expect((await world.run("grace", "approvals", "confirm", proposal)).code).toBe(1);
  const confirmed = await world.run("ana", "approvals", "confirm", proposal);
  expect(confirmed).toMatchObject({ code: 0 });
  const { rows } = await query("select operator, detail ->> 'proposed_by' as by from operation where action = $1", [name]);
  expect(rows).toContainEqual({ operator: "ana", by: "grace" });
});

test("a proposal is rejected by another operator, withdrawn by its own, and then nothing waits", async () => {
  const propose = async () =>
    JSON.parse((await world.run("grace", "setting", "set", "mark-up.percent", "250", "--from", "now", ...WHY, "--json")).output)
      .proposal;
  const [first, second] = [await propose(), await propose()];
  expect((await world.run("ana", "approvals", "withdraw", first, ...WHY)).code).toBe(1);
  expect((await world.run("ana", "approvals", "reject", first, ...WHY)).output).toBe(
    "The proposal is rejected. Nothing was changed.\n",
  );
  expect((await world.run("grace", "approvals", "withdraw", second, ...WHY)).output).toBe(
    "The proposal is withdrawn. Nothing was changed.\n",
  );
  expect((await world.run("ana", "approvals")).output).toBe("Nothing is waiting for an operator.\n");
});
