import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { api, type EndpointName } from "@farline/contract/api/api.ts";
import type { Endpoint } from "@farline/contract/api/endpoint.ts";
import { SAMPLE_ID, sampleAnswer } from "@farline/contract/test/sample-answer.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runIn } from "../../test/run-command.ts";

const routes = (Object.keys(api) as EndpointName[]).map((name) => {
  const [method = "", pattern = ""] = name.split(" ");
  return { name, method, path: new RegExp(`^${pattern.replaceAll(/:\w+/g, "[^/]+")}$`), isExact: !pattern.includes(":") };
});

let server: Server;
let home: string;
let url: string;

/** A service that answers with everything that the contract allows. */
beforeAll(async () => {
  server = createServer(({ method, url: asked = "" }, response) => {
    const { pathname } = new URL(asked, "http://localhost");
    const [route] = routes
      .filter((one) => one.method === method && one.path.test(pathname))
      .toSorted((one, other) => Number(other.isExact) - Number(one.isExact));
    const { answer }: Endpoint = route === undefined ? { access: "visitor" } : api[route.name];
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(answer === undefined ? {} : sampleAnswer(answer)));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  url = `http://127.0.0.1:${port}`;
  home = mkdtempSync(join(tmpdir(), "farline-operator-"));
  mkdirSync(join(home, ".farline"));
  writeFileSync(join(home, ".farline", `127.0.0.1-${port}.token`), "fo_sample");
});
afterAll(() => {
  server.close();
  rmSync(home, { recursive: true });
});

/** A code as programs write it. Promo codes are words that operators chose, so their list is not tried. */
const RAW = /[a-z]_[a-z]|undefined|\bnull\b|\bNaN\b|\[object/;
/** More than the two or four decimals of money; `$` twice. */
const UNEVEN = /\$\d+\.\d{5,}|\$-|\$\$/;

test.each([
  "approvals list",
  "breakers list",
  "call x",
  "calls live",
  "cases list",
  "cases show 1001",
  "customer ann@example.com",
  "decks history GH",
  "decks list",
  "decks price +442079460000",
  "figures",
  "find ann@example.com",
  "month 2026-11",
  "operator list",
  "overview",
  "queue",
  "reconcile --last",
  "refund-requests list",
  "setting history mark-up.percent",
  "setting list",
  "timeline ann@example.com",
])("%s prints words for every code that the service may answer", async (words) => {
  const { output } = await runIn({ home, url }, ...words.split(" "));
  const lines = output.replaceAll(SAMPLE_ID, "").split("\n");
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.filter((line) => RAW.test(line) || UNEVEN.test(line))).toEqual([]);
});
