import { gzipSync } from "node:zlib";
import type { DeckReportResponse, DecksResponse } from "@farline/contract/operator/decks.ts";
import { operatorToken } from "@farline/server/test/operators.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askService } from "./src/ask-service.ts";
import { Attempts } from "./src/attempts.ts";
import { startInstallation, type Installation } from "./src/product.ts";

const LIST = "Prefix,Destination,Rate,Billing\n44,United Kingdom,0.02,1/1\n53,Cuba,0.76,1/1\n";
const NOW = { complete: "true", effective: "now", reason: "December" };

const attempts = new Attempts();
let at: Installation;
let cookies: Record<"grace" | "ada", string>;
beforeAll(async () => {
  at = await startInstallation();
  const query = (sql: string, values: readonly unknown[] = []) => at.database.handle.pool.query(sql, [...values]);
  const cookie = async (name: string) => `__Host-operator=${await operatorToken(query, name)}`;
  cookies = { grace: await cookie("grace"), ada: await cookie("ada") };
});
afterAll(() => at?.close());

async function ask(path: string, body?: object | Buffer, who: "grace" | "ada" = "grace"): Promise<{ status: number; json: any }> {
  const isFile = Buffer.isBuffer(body);
  const answer = await askService(`http://127.0.0.1:${at.addresses.port}/api/operator/${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      cookie: cookies[who],
      ...(body === undefined ? {} : { "content-type": isFile ? "application/gzip" : "application/json" }),
    },
    ...(body === undefined ? {} : { body: isFile ? new Uint8Array(body) : JSON.stringify(body) }),
  });
  return { status: answer.status, json: await answer.json() };
}
const upload = (query: Record<string, string>, list = LIST) =>
  ask(`decks/import?${new URLSearchParams({ file: "list.csv", ...query }).toString()}`, gzipSync(list));
const decks = async () => (await ask("decks")).json as DecksResponse;

test("costs of a trunk never become what customers pay, and no list is activated by default", async () => {
  const unsaid: readonly Record<string, string>[] = [
    {},
    { trunk: "acme" },
    { kind: "trunk" },
    { kind: "trunk", trunk: "" },
    { kind: "trunk", trunk: "  " },
    { kind: "costs", trunk: "acme" },
    { kind: "sale", trunk: "acme" },
    { kind: "" },
  ];
  for (const order of unsaid) {
    const { status } = await upload({ ...NOW, preview: "0123456789abcdef", ...order });
    attempts.check("price list of an unsaid kind", JSON.stringify(order), status === 422);
  }
  const seen = (await upload({ ...NOW, kind: "trunk", trunk: "acme", new_trunk: "acme" })).json as DeckReportResponse;
  expect(seen.refusals).toEqual([]);
  const order = { ...NOW, preview: seen.preview };
  for (const [what, change, list] of [
    ["as what customers pay", { kind: "sale" }, LIST],
    ["for another trunk", { kind: "trunk", trunk: "spare", new_trunk: "spare" }, LIST],
    ["with another price", { kind: "trunk", trunk: "acme", new_trunk: "acme" }, LIST.replace("0.76", "0.076")],
    ["at another time", { kind: "trunk", trunk: "acme", new_trunk: "acme", effective: "2030-01-01T00:00:00.000Z" }, LIST],
  ] as const) {
    const { json } = await upload({ ...order, ...change }, list);
    attempts.check("price list stored unlike its preview", what, json.deck === null);
  }
  const mistyped = { ...NOW, kind: "trunk", trunk: "acmee", new_trunk: "acme" };
  const { json } = await upload(mistyped);
  const stored = await upload({ ...mistyped, preview: json.preview });
  attempts.check("price list of a mistyped trunk", "acmee, and acme once more", stored.json.deck === null);
  expect((await decks()).total).toBe(1);
});

test("a destination is not given away, and roll-backs only go back, one step for each order", async () => {
  const bring = async (list: string): Promise<DeckReportResponse> => {
    const { json } = await upload({ ...NOW, kind: "sale" }, list);
    return (await upload({ ...NOW, kind: "sale", preview: json.preview }, list)).json;
  };
  const confirm = async ({ proposal }: DeckReportResponse) =>
    expect((await ask(`approvals/${proposal?.id}/confirm`, {}, "ada")).status).toBe(200);
  await confirm(await bring(LIST));
  for (const rate of ["0.37", "0.077"]) {
    const { proposal, activated } = await bring(LIST.replace("0.76", rate));
    attempts.check("expensive destination sold at less than half by one operator", rate, activated === null && proposal !== null);
  }
  const from = (await decks()).decks.find(({ state }) => state === "active");
  const step = { kind: "sale", from: from?.id, to: from?.goes_back_to?.id, reason: "A mistake" };
  const both = await Promise.all([ask("decks/roll-back", step), ask("decks/roll-back", step, "ada")]);
  attempts.check("roll-back by two operators at once", "two steps", both.filter(({ status }) => status === 200).length === 1);
  for (const [what, order] of [
    ["forward again", { ...step, from: step.to, to: step.from }],
    ["the same order once more", step],
    ["without the active deck", { ...step, from: undefined }],
    ["of another kind", { ...step, kind: "trunk", trunk: "acme" }],
  ] as const) {
    const { status } = await ask("decks/roll-back", order);
    attempts.check("roll-back to another deck than the one before", what, status === 409 || status === 422);
  }
});

test("no attempt succeeded", () => {
  expect(attempts.tried).toBeGreaterThan(18);
  expect(attempts.succeeded).toEqual([]);
});
