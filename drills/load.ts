import { parseArgs } from "node:util";
import { setTimeout as pause } from "node:timers/promises";
import { query } from "@farline/e2e/support/books.ts";
import { databaseUrlOf, type Product, removeData, startProduct } from "@farline/e2e/support/product.ts";
import { CallLoad } from "./support/call-load.ts";
import { differences } from "./support/fault-table.ts";
import { PageLoad } from "./support/page-load.ts";
import { Load } from "./support/payment-load.ts";
import { type ProcessUsage, usageOf } from "./support/process-usage.ts";
import { processOf, SCRIPTS } from "./support/processes.ts";
import { atTheEnd, runDrill, say } from "./support/run-drill.ts";
import { rank } from "./support/spread.ts";

/**
 * A drill: `--callers` (200) who call, hang up and call again, customers who pay and visitors who read pages, on the whole product on this
 * machine, for `--minutes` (10). Prints what it has measured beside the limits, and the memory and descriptors of each process at three
 * times. Exits with 2 if a limit is exceeded.
 */
const DEFAULT_MINUTES = "10";
/** Not counted among the times: the processes compile their code and open their connections. */
const WARM_UP_MS = 60_000;
const DEFAULT_CALLERS = "200";
/** One of so many callers speaks; the others listen. */
const CALLERS_TO_A_SPEAKER = 10;
const CALLS = { talkMs: 5_000, everyMs: 30_000 };
const PAYMENTS = { workers: 2, everyMs: 6_000 };
const PAGES = { clients: 5, everyMs: 500 };

const MAX_INITIATE_P99_MS = 150;
const MAX_SETTLE_MS = 5_000;
const MAX_GROWTH_MIB = 15;
/** The exchange and its media process keep records of ended calls for an hour. */
const MIB_OF_A_CALL = 5 / 1_024;
/** Idle connections to the database, the exchange and browsers come and go. */
const MAX_MORE_DESCRIPTORS = 20;
/** SIP remembers a call for 32 seconds. */
const REST_MS = 40_000;
const { outside: _, ...PROCESSES } = SCRIPTS;

interface Measured {
  readonly what: string;
  readonly value: number | string;
  readonly limit?: number;
}

await runDrill(async () => {
  const { halfMs, callers } = readOptions();
  const product = await startProduct({ env: { MAX_CALLS: "1000", LOG_LEVEL: "error" } });
  atTheEnd(() => removeData(product));
  atTheEnd(() => product.stop());
  const loads = {
    calls: new CallLoad(product, { ...CALLS, callers, speaking: callers / CALLERS_TO_A_SPEAKER }),
    payments: new Load(product.url, PAYMENTS),
    pages: new PageLoad(product.url, PAGES),
  };

  await loads.calls.signUp();
  await runLoads(loads, WARM_UP_MS);
  loads.calls.initiateMs.length = 0;
  const usage = [await usageAtRest(product)];
  const before = loads.calls.answered.size;
  for (let half = 0; half < 2; half++) {
    await runLoads(loads, halfMs);
    usage.push(await usageAtRest(product));
  }
  const calls = loads.calls.answered.size - before;
  const measured = [...(await measure(product, loads)), ...grown(usage, calls)];
  sayTable(measured, usage);
  await loads.calls.leave();
  return measured.every(({ value, limit }) => limit === undefined || Number(value) <= limit);
});

function readOptions(): { halfMs: number; callers: number } {
  const { minutes, callers } = parseArgs({
    args: process.argv.slice(3),
    options: { minutes: { type: "string", default: DEFAULT_MINUTES }, callers: { type: "string", default: DEFAULT_CALLERS } },
  }).values;
  const read = { halfMs: (Number(minutes) * 60_000) / 2, callers: Number(callers) };
  if (!(read.halfMs > 0 && read.callers > 0)) throw new Error("--minutes and --callers are numbers above 0.");
  return read;
}

interface Loads {
  readonly calls: CallLoad;
  readonly payments: Load;
  readonly pages: PageLoad;
}

async function runLoads({ calls, payments, pages }: Loads, ms: number): Promise<void> {
  const all = [calls, payments, pages];
  for (const load of all) load.start();
  await pause(ms);
  await Promise.all(all.map((load) => load.stop()));
}

type Usage = Readonly<Record<string, ProcessUsage>>;

/** Callers' pages are open, but nobody calls. */
async function usageAtRest(product: Product): Promise<Usage> {
  await pause(REST_MS);
  const usage: Record<string, ProcessUsage> = {};
  for (const [name, script] of Object.entries(PROCESSES)) usage[name] = await usageOf(await processOf(product.pid, script));
  return usage;
}

async function measure(product: Product, { calls, payments, pages }: Loads): Promise<Measured[]> {
  const databaseUrl = databaseUrlOf(product);
  const wrong = await differences({ product, databaseUrl }, payments, calls);
  for (const one of wrong) say(`WRONG: ${one}`);
  for (const [reason, count] of calls.failures) say(`FAILED: ${count} calls: ${reason}`);
  for (const [outcome, count] of payments.outcomes)
    if (!outcome.startsWith("2")) say(`FAILED: ${count} requests of customers who pay: ${outcome}`);
  const settleMs = await settleTimes(databaseUrl, calls);
  return [
    { what: "calls", value: calls.answered.size },
    { what: "of these with sound in both directions", value: calls.echoed },
    { what: "failed calls", value: calls.failed, limit: 0 },
    { what: "request for a call, median ms", value: rank(calls.initiateMs, 0.5) },
    { what: "request for a call, p99 ms", value: rank(calls.initiateMs, 0.99), limit: MAX_INITIATE_P99_MS },
    { what: "from hang-up to settled, median ms", value: rank(settleMs, 0.5) },
    { what: "from hang-up to settled, longest ms", value: rank(settleMs, 1), limit: MAX_SETTLE_MS },
    { what: "payments", value: payments.paid.size },
    { what: "customers who could not pay", value: payments.failed, limit: 0 },
    { what: "requests for pages", value: pages.requests },
    { what: "failed requests for pages", value: pages.failed, limit: 0 },
    { what: "differences between ledger, provider, receipts and calls", value: wrong.length, limit: 0 },
  ];
}

/** From each caller's hang-up until the call's hold is resolved, by this machine's clock. */
async function settleTimes(databaseUrl: string, { hungUpAt }: CallLoad): Promise<number[]> {
  const { resolved } = await query<{ resolved: Record<string, number> }>(
    "select json_object_agg(id, extract(epoch from resolved_at) * 1000) as resolved from hold where id = any($1)",
    [[...hungUpAt.keys()]],
    databaseUrl,
  );
  return [...hungUpAt].map(([id, at]) => Math.max(0, (resolved[id] ?? Infinity) - at));
}

/** What each process uses more at the end than at the start. */
function grown(usage: readonly Usage[], calls: number): Measured[] {
  const [start, end] = [usage.at(0) ?? {}, usage.at(-1) ?? {}];
  return Object.entries(start).flatMap(([name, before]) => {
    const after = end[name] ?? before;
    const records = name === "service" ? 0 : Math.round(calls * MIB_OF_A_CALL);
    return [
      { what: `growth of the ${name}, MiB`, value: after.liveMiB - before.liveMiB, limit: MAX_GROWTH_MIB + records },
      { what: `more descriptors of the ${name}`, value: after.descriptors - before.descriptors, limit: MAX_MORE_DESCRIPTORS },
    ];
  });
}

function sayTable(measured: readonly Measured[], usage: readonly Usage[]): void {
  const lines = [
    "| what | measured | at most |",
    "|---|---|---|",
    ...measured.map(({ what, value, limit }) => `| ${what} | ${value} | ${limit ?? ""} |`),
    "",
    "| process | when | MiB in use | resident MiB | descriptors | UDP ports |",
    "|---|---|---|---|---|---|",
    ...Object.keys(PROCESSES).flatMap((name) =>
      usage.map((at, index) => {
        const { liveMiB, rssMiB, descriptors, udpPorts } = at[name] ?? {};
        return `| ${name} | ${["start", "middle", "end"][index]} | ${liveMiB} | ${rssMiB} | ${descriptors} | ${udpPorts} |`;
      }),
    ),
  ];
  say(lines.join("\n"));
}
