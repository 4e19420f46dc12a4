import { spawn } from "node:child_process";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "@playwright/test";
import { test } from "../support/test.ts";
import { expectToHear } from "../support/audio.ts";
import { booksOf, completedCall, expectChargedOnce, newestCall } from "../support/books.ts";
import { giveTestCredit, PASSWORD, signUp, talkTo } from "../support/customer.ts";
import { databaseUrlOf, removeData, startProduct, type Product } from "../support/product.ts";
import { expectCallOver } from "../support/screens.ts";
import { TONE_HERTZ, TONE_LINE } from "../support/phone-network.ts";
import { poll } from "../support/poll.ts";

/** The price of one minute to the tone line, the least credit a call needs: it is used up after 60 seconds. */
const ONE_MINUTE = "0.01";

// All tests share one installation: each leaves it running, and the last one stops it.
test.describe.configure({ mode: "serial" });

let product: Product;

test.beforeAll(async () => {
  product = await startProduct();
});
test.afterAll(async () => {
  await product.stop();
  removeData(product);
});

async function killService(): Promise<void> {
  const returns = () => product.lines.filter((line) => line.includes("The service is back")).length;
  const before = returns();
  process.kill(servicePid(product), "SIGKILL");
  await poll(returns).toBe(before + 1);
}

test("a second start on the same data directory exits with the reason", async () => {
  const main = fileURLToPath(new URL("../../cli/src/main.ts", import.meta.url));
  const second = spawn(process.execPath, [main, "start"], {
    env: { ...process.env, NODE_OPTIONS: "", DATA_DIR: product.dataDir, PORT: "19990" },
  });
  let output = "";
  second.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(second, "close")) as [number];
  expect(code).toBe(1);
  expect(output).toContain(`Farline already runs on ${product.dataDir} (process ${product.pid}).`);
  expect((await fetch(`${product.url}/api/ready`)).status).toBe(200);
});

test("a call continues when the service is killed, and is charged once for its duration", async ({ page }) => {
  const email = await signUp(page, product.url);
  await giveTestCredit(page, 5);
  await talkTo(page, TONE_LINE);
  await expectToHear(page, TONE_HERTZ);

  await killService();
  await expectToHear(page, TONE_HERTZ);
  await page.getByRole("button", { name: "Hang Up" }).click();

  const database = databaseUrlOf(product);
  const call = await completedCall(email, database);
  expectChargedOnce(call);
  expect(await booksOf(email, database)).toMatchObject({ sum: 0n, held: 0n, pending: 0n });
});

test("a call whose service was killed is cut when its credit is used up", { tag: "@full" }, async ({ page }) => {
  const email = await signUp(page, product.url);
  await giveTestCredit(page, ONE_MINUTE);
  await talkTo(page, TONE_LINE);
  await killService();

  const database = databaseUrlOf(product);
  const call = await completedCall(email, database);
  expect(Math.abs(call.seconds - 60)).toBeLessThan(1);
  expect(call.recorded).toBe(10_000n);
  expect(call.booked).toBe(10_000n);
  expect(call.entries).toBe(1);
  expect(await booksOf(email, database)).toMatchObject({ sum: 0n, balance: 0n, held: 0n, pending: 0n });
  await expectCallOver(page);
});

test("after all processes are killed at once, the next start keeps every acknowledged write and settles the call", async ({
  page,
}) => {
  const email = await signUp(page, product.url);
  await giveTestCredit(page, 5);
  await talkTo(page, TONE_LINE);

  process.kill(databasePid(product), "SIGKILL");
  process.kill(product.pid, "SIGKILL");
  await product.exited;
  product = await startProduct({ dataDir: product.dataDir, port: Number(new URL(product.url).port) });

  const login = await page.request.post(`${product.url}/api/login`, { data: { email, password: PASSWORD } });
  expect(login.status()).toBe(200);
  const database = databaseUrlOf(product);
  await poll(async () => (await newestCall(email, database)).status).toMatch(/completed|failed/);
  const call = await newestCall(email, database);
  expect(call.booked).toBe(call.recorded);
  expect(call.recorded).toBeLessThanOrEqual(call.recomputed);
  const books = await booksOf(email, database);
  expect(books).toMatchObject({ sum: 0n, held: 0n, pending: 0n });
  expect(books.balance).toBe(5_000_000n - call.booked);
});

test("a stop requested twice still stops the database last and leaves no process behind", async () => {
  const database = databasePid(product);
  process.kill(product.pid, "SIGTERM");
  await expect.poll(() => product.lines.some((line) => line.includes('"msg":"stopping"')), { intervals: [5] }).toBe(true);
  process.kill(product.pid, "SIGTERM");
  expect(await product.exited).toBe(0);
  expect(() => process.kill(database, 0)).toThrow(/ESRCH/);
});

/** The service among the supervisor's children. */
function servicePid(running: Product): number {
  const lines = execFileSync("ps", ["-eo", "pid=,ppid=,args="]).toString().split("\n");
  const fields = lines.map((line) => line.trim().split(/\s+/));
  const found = fields.find(
    ([, parent, ...args]) => Number(parent) === running.pid && args.join(" ").includes("server/src/main.ts"),
  );
  return Number(found?.[0]);
}

function databasePid(running: Product): number {
  return Number.parseInt(readFileSync(join(running.dataDir, "postgres", "data", "postmaster.pid"), "utf8"), 10);
}
