import { setTimeout as pause } from "node:timers/promises";
import { query } from "@farline/e2e/support/books.ts";
import { databaseUrlOf, type Product } from "@farline/e2e/support/product.ts";
import { TONE_LINE } from "@farline/e2e/support/phone-network.ts";
import { until } from "@farline/drills/support/readiness.ts";
import { ScriptedCaller, voicePortOf } from "@farline/drills/support/scripted-caller.ts";
import { outcomeOf } from "@farline/drills/support/page-load.ts";
import { processOf, SCRIPTS } from "@farline/drills/support/processes.ts";
import { withProduct } from "../with-product.ts";

const CALLS = Number(process.env["CALLS"] ?? 10);
const TALK_MS = 12_000;
const CHECK_AFTER_MS = 30_000;
const RESTART_LIMIT_MS = 60_000;
/** For the difference between two clocks and the time that the kill takes. */
const TOLERANCE_MS = 1_000;

/**
 * `kill -9` of the media process, then of the exchange, each with live calls through a complete installation. Thirty seconds after the
 * restart: calls that are still up at the phone network, calls that are not settled, and calls that customers pay for beyond the kill.
 * There must be none of any kind.
 */
export async function kill(): Promise<Record<string, unknown>> {
  return withProduct(
    async (product) => {
      const exchange = await killWith(product, SCRIPTS.exchange);
      const media = await killWith(product, SCRIPTS["media process"]);
      const wrong = [exchange, media].some((one) => one.stillUp > 0 || one.unsettled > 0 || one.paidBeyondTheKill > 0);
      if (wrong) process.exitCode = 1;
      return { exchange, mediaProcess: media };
    },
    { LOG_LEVEL: "warn" },
  );
}

async function killWith(product: Product, script: string) {
  const customers: ScriptedCaller[] = [];
  const calls: string[] = [];
  for (let count = 0; count < CALLS; count += 1) {
    const customer = await ScriptedCaller.signUp(product);
    customers.push(customer);
    calls.push((await customer.call(TONE_LINE)).id);
  }
  await pause(TALK_MS);
  const upBefore = await liveAtTheNetwork(product);
  const pid = await processOf(product.pid, script);
  const killedAt = new Date();
  process.kill(pid, "SIGKILL");
  await until(
    "restart",
    async () => (await processOf(product.pid, script)) !== pid && (await isReady(product)),
    RESTART_LIMIT_MS,
  );
  await pause(CHECK_AFTER_MS);
  const { unsettled, beyond, settled } = await settlement(product, calls, killedAt);
  const stillUp = await liveAtTheNetwork(product);
  for (const customer of customers) await customer.leave();
  return { calls: calls.length, upBefore, stillUp, settled, unsettled, paidBeyondTheKill: beyond };
}

async function liveAtTheNetwork(product: Product): Promise<number> {
  const answer = await fetch(`${product.sandboxUrl}/phone-network/calls`);
  return ((await answer.json()) as { live: number }).live;
}

async function isReady(product: Product): Promise<boolean> {
  return (await outcomeOf(`http://127.0.0.1:${voicePortOf(product)}/readyz`)) === "200";
}

async function settlement(product: Product, calls: readonly string[], killedAt: Date) {
  const row = await query<{ unsettled: string; settled: string; beyond: string }>(
    `select count(*) filter (where h.state = 'pending' or c.ended_at is null) as unsettled,
            count(*) filter (where h.state <> 'pending') as settled,
            count(*) filter (where c.ended_at > $2) as beyond
     from call c join hold h on h.id = c.id where c.id = any($1)`,
    [calls, new Date(killedAt.getTime() + TOLERANCE_MS)],
    databaseUrlOf(product),
  );
  return { unsettled: Number(row.unsettled), settled: Number(row.settled), beyond: Number(row.beyond) };
}
