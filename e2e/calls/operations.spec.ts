import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "@playwright/test";
import { replyTo, startSocketCarrier, type SocketCarrier } from "@farline/voice/test/socket-carrier.ts";
import { test } from "../support/test.ts";
import { booksOf, completedCall, newestCall, query } from "../support/books.ts";
import { confirmWithReason, openConsole } from "../support/operate.ts";
import { giveTestCredit, signUp, talkTo } from "../support/customer.ts";
import { ECHO_LINE } from "../support/phone-network.ts";
import { databaseUrlOf, removeData, startProduct, type Product } from "../support/product.ts";
import { poll } from "../support/poll.ts";

// One installation for all, which no other test uses meanwhile.
test.describe.configure({ mode: "serial" });

let folder: string;
let carriers: Record<"dead" | "spare", SocketCarrier>;
let product: Product;

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "farline-operations-"));
  const [dead, spare] = await Promise.all([startCarrier("402 Payment Required"), startCarrier("200 OK")]);
  carriers = { dead, spare };
  writeTrunks("dead", "spare");
  product = await startProduct({ env: { SIP_TRUNKS: trunksFile() } });
});
test.afterAll(async () => {
  await product.stop();
  removeData(product);
  await Promise.all(Object.values(carriers).map((carrier) => carrier.close()));
  rmSync(folder, { recursive: true });
});

/** A carrier that gives every call the same answer. */
function startCarrier(answer: "200 OK" | "402 Payment Required"): Promise<SocketCarrier> {
  const sdp = ["v=0", "o=- 1 1 IN IP4 127.0.0.1", "s=-", "c=IN IP4 127.0.0.1", "t=0 0", "m=audio 9 RTP/AVP 0", ""].join("\r\n");
  return startSocketCarrier("udp", (message, send) => {
    if (/^(SIP|ACK)/.test(message)) return;
    const invited = message.startsWith("INVITE ");
    const accepted = { headers: ["Contact: <sip:carrier@127.0.0.1>"], sdp };
    send(invited ? replyTo(message, answer, answer === "200 OK" ? accepted : {}) : replyTo(message, "200 OK"));
  });
}

function trunksFile(): string {
  return join(folder, "trunks.json");
}

/** The trunks in the order in which calls try them. */
function writeTrunks(...order: readonly ("dead" | "spare")[]): void {
  const trunks = order.map((name, priority) => ({ name, host: "127.0.0.1", port: carriers[name].port, priority }));
  writeFileSync(trunksFile(), JSON.stringify(trunks));
}

test("a carrier that refuses our account is seen, and moved behind the others", { tag: "@full" }, async ({ page, browser }) => {
  const email = await signUp(page, product.url);
  await giveTestCredit(page, 5);
  const call = async () => {
    // After a call its sheet stands in the pad's place.
    await page.goto(`${product.url}/dialer`);
    await talkTo(page, ECHO_LINE);
    await page.getByRole("button", { name: "Hang Up" }).click();
    await completedCall(email, databaseUrlOf(product));
    return (await newestCall(email, databaseUrlOf(product))).id;
  };
  const first = await call();
  expect(carriers.dead.heard.filter((message) => message.startsWith("INVITE "))).not.toEqual([]);

  const console = await openConsole(browser, "bob", "/operator/overview", product);
  await expect(async () => {
    await console.reload();
    const dead = console.getByRole("row", { name: /^dead refuses our account 0 1 0\.0 %/ });
    await expect(dead).toBeVisible({ timeout: 10_000 });
    await expect(console.getByText(/^Trunk dead carries no calls\./)).toBeVisible({
      timeout: 10_000,
    });
  }).toPass();
  await console.goto(`${product.url}/operator/calls/${first}`);
  await expect(console.getByRole("list", { name: "Trunks" }).getByText(/402/)).toBeVisible();

  writeTrunks("spare", "dead");
  await poll(() => product.lines.some((line) => line.includes("trunks") && line.includes("reload"))).toBe(true);
  const tries = carriers.dead.heard.length;
  await call();
  expect(carriers.dead.heard).toHaveLength(tries);
});

test(
  "the calls of an exchange that is gone are settled at their last proof of life",
  { tag: "@full" },
  async ({ page, browser }) => {
    const database = databaseUrlOf(product);
    const email = await signUp(page, product.url);
    await giveTestCredit(page, 5);
    await talkTo(page, ECHO_LINE);
    const exchange = exchangePid();
    // Stopped, not killed: the supervisor would start it again.
    process.kill(exchange, "SIGSTOP");
    try {
      // As if half a minute had passed since the exchange last spoke of the call.
      const lastSeen = "update call set last_seen_alive_at = last_seen_alive_at - interval '31 seconds' where ended_at is null";
      await query(lastSeen, [], database);
      const console = await openConsole(browser, "eve", "/operator/live", product);
      await console.getByRole("button", { name: "Settle a lost exchange" }).click();
      await confirmWithReason(console, "The machine is gone", "Settle");
      await expect(console.getByText("1 call is settled.")).toBeVisible();
      await expect(console.getByText("Nobody is calling right now")).toBeVisible();
      const call = await newestCall(email, database);
      expect(call.booked).toBe(call.recorded);
      expect(await booksOf(email, database)).toMatchObject({ sum: 0n, held: 0n, pending: 0n, balance: 5_000_000n - call.booked });
    } finally {
      process.kill(exchange, "SIGCONT");
    }
  },
);

test("a month's books equal the ledger, and the month before is closed with them", { tag: "@full" }, async ({ browser }) => {
  // The books of a new installation begin with its first posting, in this month.
  await query(
    `do $$ begin
      set local session_replication_role = replica;
      update ledger_transaction set created_at = created_at - interval '1 month'
        where id = (select id from ledger_transaction order by id limit 1);
    end $$`,
    [],
    databaseUrlOf(product),
  );
  const console = await openConsole(browser, "bob", "/operator/month", product);
  await expect(console.getByText(/^The ledger adds up\. The month is not over/)).toBeVisible();
  const { owed } = await query<{ owed: string }>(
    "select to_char(trunc(sum(balance_micros - debt_micros) / 1000000.0, 2), 'FM$999990.00') as owed from account",
    [],
    databaseUrlOf(product),
  );
  await expect(
    console
      .getByRole("row", { name: /^Closing/ })
      .getByRole("cell")
      .nth(1),
  ).toHaveText(owed);
  await expect(
    console
      .getByRole("row", { name: /^Opening/ })
      .getByRole("cell")
      .nth(1),
  ).toHaveText("$5.00");

  const before = await console.getByLabel("Month (UTC)").locator("option").nth(1).innerText();
  await console.getByLabel("Month (UTC)").selectOption(before);
  await console.getByRole("button", { name: "Close the month" }).click();
  await confirmWithReason(console, "Month's end", "Close the month");
  await expect(console.getByText(/The ledger adds up\. Closed by bob/)).toBeVisible();
  const download = console.waitForEvent("download");
  await console.getByRole("button", { name: "Download as CSV" }).click();
  expect(readFileSync(await (await download).path(), "utf8")).toContain(before);
});

/** The exchange among the supervisor's children. */
function exchangePid(): number {
  const lines = execFileSync("ps", ["-eo", "pid=,ppid=,args="]).toString().split("\n");
  const fields = lines.map((line) => line.trim().split(/\s+/));
  const found = fields.find(
    ([, parent, ...args]) => Number(parent) === product.pid && args.join(" ").includes("voice/src/main.ts"),
  );
  return Number(found?.[0]);
}
