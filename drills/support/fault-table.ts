import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Product } from "@farline/e2e/support/product.ts";
import { openDatabase } from "@farline/server/platform/database/database.ts";
import { verifyLedger } from "@farline/server/ledger/verify-ledger.ts";
import { pino } from "pino";
import { CallLoad } from "./call-load.ts";
import { compareBooks } from "./compare-books.ts";
import type { Notices, SeenAfter } from "./notices.ts";
import { Load } from "./payment-load.ts";
import { Readiness } from "./readiness.ts";
import { say } from "./run-drill.ts";

const BEFORE_AND_AFTER_MS = 4_000;
const CALLS = { callers: 2, speaking: 2, talkMs: 4_000, everyMs: 0 };
/** How long most faults last. */
const AWAY_MS = 10_000;
const READY_WITHIN_MS = 120_000;
const AGREES_WITHIN_MS = 180_000;
const SEEN_WITHIN_SECONDS = 60;
const CHECK_EVERY_MS = 1_000;

export interface Fault {
  readonly name: string;
  readonly lastsMs: number;
  /** Whether the service must be ready again before the fault is repaired. */
  readonly survives: boolean;
  /** The trouble that ready, alert and overview must say within a minute; the fault lasts until they have. */
  readonly seen?: string;
  /** @returns how it is repaired */
  strike(): Promise<() => unknown>;
}

/** A fault of ten seconds. */
export function passing(name: string, strike: Fault["strike"]): Fault {
  return { name: `${name} for ${AWAY_MS / 1_000} s`, survives: false, lastsMs: AWAY_MS, strike };
}

/** A fault that lasts until ready, alert and overview have said this trouble. */
export function untilSeen(name: string, seen: string, strike: Fault["strike"]): Fault {
  return { name: `${name} until it is seen`, seen, survives: false, lastsMs: 0, strike };
}

export interface Installation {
  readonly product: Product;
  /** Leads to the service's database past all faults, or as soon as they are repaired. */
  readonly databaseUrl: string;
  /** Null without Prometheus. */
  readonly notices: Notices | null;
  /** Resolves when all parts run again. */
  healthy(): Promise<unknown>;
}

/**
 * Applies one fault after the other to an installation with payments and calls under way, and compares what was acknowledged with the ledger
 * and the payment provider after each. Prints a table.
 * @returns whether nothing was lost, doubled or answered with an error other than 503
 */
export async function tryFaults(installation: Installation, faults: readonly Fault[]): Promise<boolean> {
  const readiness = new Readiness(installation.product.url);
  readiness.start();
  let wrong = 0;
  say(
    "| fault | seconds not ready | answers of the service | payments, calls acknowledged | calls refused | seconds until all agreed | seen by ready, alert, overview after seconds | lost or doubled |",
  );
  say("|---|---|---|---|---|---|---|---|");
  for (const fault of faults) wrong += await tryFault(fault, installation, readiness);
  await readiness.stop();
  say(`${wrong} faults.`);
  return wrong === 0;
}

async function tryFault(fault: Fault, installation: Installation, readiness: Readiness): Promise<number> {
  const { product, notices } = installation;
  const load = new Load(product.url);
  const calls = new CallLoad(product, CALLS);
  load.start();
  calls.start();
  await pause(BEFORE_AND_AFTER_MS);
  readiness.takeLongestGapMs();
  load.outcomes.clear();
  const repair = await fault.strike();
  const { seen } = fault;
  const noticed = seen === undefined || notices === null ? null : await notices.see(seen);
  await pause(fault.lastsMs);
  if (fault.survives) await readiness.untilReady(READY_WITHIN_MS);
  await repair();
  const repairedAt = Date.now();
  await readiness.untilReady(READY_WITHIN_MS);
  await installation.healthy();
  await pause(BEFORE_AND_AFTER_MS);
  const notReady = (readiness.takeLongestGapMs() / 1_000).toFixed(1);
  await Promise.all([load.stop(), calls.stop()]);
  await calls.leave();

  const errors = [...load.outcomes].flatMap(([outcome, count]) => (isError(outcome) ? [`${count} answers were ${outcome}`] : []));
  const wrong = [...errors, ...unseen(noticed), ...(await differences(installation, load, calls))];
  const answers = [...load.outcomes].map((outcome) => outcome.join(": ")).join(", ");
  const agreed = ((Date.now() - repairedAt) / 1_000).toFixed(0);
  say(
    `| ${fault.name} | ${notReady} | ${answers} | ${load.paid.size}, ${calls.answered.size} | ${calls.failed} | ${agreed} | ${seenText(noticed)} | ${wrong.length} |`,
  );
  for (const one of wrong) say(`WRONG: ${one}`);
  return wrong.length;
}

function seenText(noticed: SeenAfter | null): string {
  if (noticed === null) return "–";
  return [noticed.ready, noticed.alert, noticed.overview].map((after) => after?.toFixed(0) ?? "never").join(", ");
}

function unseen(noticed: SeenAfter | null): string[] {
  if (noticed === null) return [];
  return Object.entries(noticed).flatMap(([who, after]: [string, number | null]) =>
    after === null || after > SEEN_WITHIN_SECONDS ? [`${who} said it after ${after?.toFixed(0) ?? "over 75"} seconds`] : [],
  );
}

/**
 * Compares what was acknowledged with the ledger and the payment provider. Retries for a while, because the service learns what it missed from redelivered events or its own polling.
 * @returns a sentence for each difference
 */
export async function differences(
  { product, databaseUrl }: Pick<Installation, "product" | "databaseUrl">,
  load: Load,
  calls: CallLoad,
): Promise<string[]> {
  const stripe = { url: product.sandboxUrl, key: stripeKeyOf(product.dataDir) };
  const until = Date.now() + AGREES_WITHIN_MS;
  for (;;) {
    const found = [...(await calls.compare(databaseUrl)), ...(await compareBooks({ databaseUrl, stripe, load }))];
    if (found.length === 0 || Date.now() > until) return [...found, ...(await driftOf(databaseUrl))];
    await pause(CHECK_EVERY_MS);
  }
}

function isError(outcome: string): boolean {
  const status = Number(outcome);
  return status >= 500 && status !== 503;
}

async function driftOf(url: string): Promise<string[]> {
  const handle = openDatabase(url, 2, pino({ level: "silent" }));
  try {
    return (await verifyLedger(handle.db)).map(({ check, id }) => `the ledger's ${check} is wrong for ${id}`);
  } finally {
    await handle.close();
  }
}

function stripeKeyOf(dataDir: string): string {
  return (JSON.parse(readFileSync(join(dataDir, "secrets.json"), "utf8")) as { stripeSecretKey: string }).stripeSecretKey;
}
