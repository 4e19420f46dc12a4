import { readMonth } from "@farline/server/billing/month/close-month.ts";
import { sumBooks } from "@farline/server/billing/month/month.store.ts";
import { readCallForOperator, readTurnoverHours } from "@farline/server/calls/calls.ts";
import { sumCallHours } from "@farline/server/calls/metrics/call-metrics.ts";
import { readTrafficReport } from "@farline/server/calls/metrics/traffic-report.ts";
import { readLiveCalls } from "@farline/server/calls/operate/read-live-calls.ts";
import { checkLedger, verifyLedger } from "@farline/server/ledger/ledger.ts";
import { readOverview, readOverviewMetrics, readTrunkFigures } from "@farline/server/overview/overview.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { actingAs, type OperatorContext } from "@farline/server/context.ts";
import { systemClock } from "@farline/server/platform/clock.ts";
import { countQueue, readQueue } from "@farline/server/queue/read-queue.ts";
import { readCallList, readCustomerList, readPaymentList } from "@farline/server/search/lists.ts";
import { searchEverything } from "@farline/server/search/search.ts";
import { readCustomer } from "@farline/server/timeline/read-customer.ts";
import { readTimeline } from "@farline/server/timeline/timeline.ts";
import { operatorDataCustomer, operatorDataEmail, operatorDataStatements } from "@farline/server/test/operator-data.ts";
import { asOperator, testContext } from "@farline/server/test/test-context.ts";
import { type BenchPostgres, openBenchPostgres, runLong, startBenchPostgres } from "./bench-postgres.ts";
import { timed } from "@farline/drills/support/spread.ts";
import { migrate } from "@farline/server/platform/database/migrate.ts";
import { createLog } from "@farline/server/platform/log.ts";

/** Of each search, list, page and figure. The first one reads from the disk what nobody has asked for yet, and mostly is the `max`. */
const SAMPLES = 300;
const PAGE = 50;
const POPULAR_NUMBERS = 100;
const FIGURES_DAYS = 30;

/** Milliseconds of operators' searches and pages with a million customers and ten million calls. */
export async function operatorSearch(): Promise<Record<string, unknown>> {
  const { postgres, facts } = await startOperatorData();
  try {
    const ctx = asOperator(testContext({ handle: postgres.handle, clock: systemClock, config: { limitsScale: 1 } }), "grace");
    const jobs = await measureJobs(ctx);
    const search = await measureSearch(ctx, postgres);
    return {
      ...facts,
      samples: SAMPLES,
      milliseconds: {
        search,
        lists: await measureLists(ctx, postgres),
        pages: await measurePages(ctx, postgres),
        figures: await measureFigures(ctx),
      },
      seconds: jobs,
      postgres: postgres.facts,
    };
  } finally {
    await postgres.close();
  }
}

async function measureSearch(ctx: OperatorContext, postgres: BenchPostgres): Promise<Record<string, unknown>> {
  const texts: Readonly<Record<string, readonly string[]>> = {
    email: anyCustomers().map(operatorDataEmail),
    startOfAnEmail: anyCustomers().map((n) => `caller${n}`.slice(0, 9)),
    number: await column(postgres, "select destination as value from call"),
    popularNumber: Array.from({ length: SAMPLES }, (_, n) => `+44207946${String(n % POPULAR_NUMBERS).padStart(4, "0")}`),
    startOfANumber: await column(postgres, "select left(destination, 9) as value from call"),
    callId: await column(postgres, "select id::text as value from call"),
    unknownId: Array.from({ length: SAMPLES }, () => crypto.randomUUID()),
    leg: await column(postgres, "select parked_call_control_id as value from call where parked_call_control_id is not null"),
    receipt: await column(postgres, "select number as value from receipt"),
    payment: await column(postgres, "select payment_intent_id as value from payment where payment_intent_id is not null"),
    card: await column(postgres, "select card_last4 as value from payment where card_last4 is not null"),
    name: await column(postgres, "select name as value from customer"),
    startOfAName: await column(postgres, "select left(name, 4) as value from customer"),
    domain: Array.from({ length: SAMPLES }, (_, n) => (n % 2 === 0 ? "example.com" : `firm${n % 100}.example`)),
    network: await column(postgres, "select network as value from security_event"),
    cardAndAmount: await column(
      postgres,
      "select card_last4 || ' ' || round(charge_micros / 1e6, 2) as value from payment where card_last4 is not null",
    ),
  };
  const figures: Record<string, unknown> = {};
  for (const [name, values] of Object.entries(texts)) figures[name] = await timed(values, (text) => searchEverything(ctx, text));
  return figures;
}

/** The first page of each list, with its count, and fifty pages on. */
async function measureLists(ctx: OperatorContext, postgres: BenchPostgres): Promise<Record<string, unknown>> {
  const networks = await column(postgres, "select network as value from security_event");
  const days = await column(postgres, "select created_at::date::text as value from call");
  const repeat = <Value>(value: Value) => Array<Value>(SAMPLES).fill(value);
  return {
    calls: await timed(repeat({}), (query) => readCallList(ctx, query)),
    callsOfADay: await timed(days, (day) => readCallList(ctx, { from: day, to: day })),
    callsByRareCountry: await timed(repeat({ country: "FJ" }), (query) => readCallList(ctx, query)),
    callsByCountryAndReason: await timed(repeat({ country: "NG", reason: "busy" as const }), (query) => readCallList(ctx, query)),
    callsByCountryAndRareReason: await timed(repeat({ country: "FJ", reason: "network_failure" as const }), (query) =>
      readCallList(ctx, query),
    ),
    callsByRareTrunk: await timed(repeat({ trunk: "carrier-spare" }), (query) => readCallList(ctx, query)),
    callsThatNoneIs: await timed(repeat({ least: 1_000_000_000n, country: "GB" }), (query) => readCallList(ctx, query)),
    callsFromANetwork: await timed(networks, (network) => readCallList(ctx, { network })),
    callsOfTheLargest: await timed(repeat({ customer: operatorDataCustomer(1) }), (query) => readCallList(ctx, query)),
    callsPageByPage: await pageByPage((cursor) => readCallList(ctx, { country: "GB", cursor })),
    payments: await timed(repeat({}), (query) => readPaymentList(ctx, query)),
    failedPayments: await timed(repeat({ state: "failed" as const }), (query) => readPaymentList(ctx, query)),
    waitingPayments: await timed(repeat({ state: "waiting" as const }), (query) => readPaymentList(ctx, query)),
    disputedPayments: await timed(repeat({ state: "disputed" as const }), (query) => readPaymentList(ctx, query)),
    paymentsByReason: await timed(repeat({ reason: "insufficient_funds" }), (query) => readPaymentList(ctx, query)),
    paymentsFromANetwork: await timed(networks, (network) => readPaymentList(ctx, { network })),
    customers: await timed(repeat({}), (query) => readCustomerList(ctx, query)),
    frozenCustomers: await timed(repeat({ state: "frozen" as const }), (query) => readCustomerList(ctx, query)),
    customersByBalance: await timed(repeat({ least: 2_000_000n }), (query) => readCustomerList(ctx, query)),
    customersOfANetwork: await timed(networks, (network) => readCustomerList(ctx, { network })),
  };
}

async function pageByPage(read: (cursor: string | undefined) => Promise<{ next_cursor: string | null }>) {
  let cursor: string | undefined;
  return timed(Array<null>(SAMPLES).fill(null), async () => {
    cursor = (await read(cursor)).next_cursor ?? undefined;
  });
}

async function measurePages(ctx: OperatorContext, postgres: BenchPostgres): Promise<Record<string, unknown>> {
  const customers = anyCustomers().map(operatorDataCustomer);
  const calls = await column(postgres, "select id::text as value from call");
  const largest = operatorDataCustomer(1);
  let cursor: string | undefined;
  return {
    customer: await timed(customers, (customer) => readCustomer(ctx, { customer })),
    largestCustomer: await timed(Array(SAMPLES).fill(largest), (customer) => readCustomer(ctx, { customer })),
    timeline: await timed(customers, (customer) => readTimeline(ctx, { customer, limit: PAGE })),
    largestTimelinePageByPage: await timed(Array(SAMPLES).fill(largest), async (customer) => {
      const page = await readTimeline(ctx, { customer, cursor, limit: PAGE });
      cursor = page.next_cursor ?? undefined;
    }),
    call: await timed(calls, (call) => readCallForOperator(ctx, { call })),
    liveCalls: await timed(Array(SAMPLES).fill(null), () => readLiveCalls(ctx, {})),
    ...(await measureQueue(ctx)),
    liveCallsToAPrefix: await timed(Array(SAMPLES).fill("+44740000"), (prefix: string) => readLiveCalls(ctx, { prefix })),
  };
}

/** What adds up many calls. */
async function measureFigures(ctx: OperatorContext): Promise<Record<string, unknown>> {
  const day = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
  const ends = Array.from({ length: SAMPLES }, (_, n) => n % FIGURES_DAYS);
  const nothing = async () => [];
  const sources = {
    metrics: () => readOverviewMetrics(ctx, "UTC"),
    trunkFigures: () => readTrunkFigures(ctx),
    ...{ troubles: nothing, parts: nothing, trunks: () => null },
  };
  return {
    monthByDayCountryAndTrunk: await timed(ends, (end) =>
      readTrafficReport(ctx, { from: day(end + FIGURES_DAYS), to: day(end) }),
    ),
    hoursOf32Days: await timed(ends, () => readTurnoverHours(ctx, 32 * 24)),
    booksOfAMonth: await timed(ends, (end) => readMonth(ctx, day(end * FIGURES_DAYS).slice(0, 7))),
    overview: await timed(ends, () => readOverview(ctx, sources)),
  };
}

/** Jobs that read much: the sums by the hour, of three years at once, and the checks of the ledger. */
async function measureJobs(ctx: OperatorContext): Promise<Record<string, number>> {
  const seconds = async (work: () => Promise<unknown>) => {
    const began = performance.now();
    await work();
    return Math.round((performance.now() - began) / 100) / 10;
  };
  const job = actingAs(ctx, { kind: "job" });
  return {
    sumHours: await seconds(() => sumCallHours(job, new AbortController().signal)),
    sumBooks: await seconds(() => sumBooks(job, new AbortController().signal)),
    wholeCheckOfTheLedger: await seconds(() => checkLedger(job, { whole: true })),
    firstCheckSince: await seconds(() => checkLedger(job, { whole: false })),
    nextCheckSince: await seconds(() => checkLedger(job, { whole: false })),
  };
}

/** Every page of the queue, in both orders, and its counts. */
async function measureQueue(ctx: OperatorContext): Promise<Record<string, unknown>> {
  const pages = async (order: "due" | "money") => {
    let cursor: string | undefined;
    return timed(Array(SAMPLES).fill(order), async () => {
      const page = await readQueue(ctx, { order, cursor, limit: PAGE });
      cursor = page.nextCursor ?? undefined;
    });
  };
  return {
    queueByDueDate: await pages("due"),
    queueByMoney: await pages("money"),
    queueCounts: await timed(Array(SAMPLES).fill(null), () => countQueue(ctx)),
  };
}

function anyCustomers(): number[] {
  return Array.from({ length: SAMPLES }, () => 1 + Math.floor(Math.random() * CUSTOMERS));
}

/** Random rows' values, from all over the table. */
async function column({ handle }: BenchPostgres, query: string): Promise<string[]> {
  const sampled = query.replace(/ from (\w+)/, " from $1 tablesample system (1)");
  const { rows } = await handle.pool.query<{ value: string }>(
    `select value from (${sampled}) sample order by random() limit ${SAMPLES}`,
  );
  if (rows.length === 0) throw new Error(`No rows for ${query}.`);
  return rows.map(({ value }) => value);
}

const CUSTOMERS = Number(process.env["CUSTOMERS"] ?? 1_000_000);
const CALLS = Number(process.env["CALLS"] ?? 10_000_000);
const CONNECTIONS = 4;
/** The data is made up and deleted afterwards, so it is filled without waiting for the disk. */
const FILL_SETTINGS = ["fsync=off", "full_page_writes=off", "wal_level=minimal", "max_wal_senders=0", "max_wal_size=4GB"];
const MEMORY_SETTINGS = ["shared_buffers=2GB", "work_mem=256MB", "maintenance_work_mem=1GB", "checkpoint_timeout=1h"];

/**
 * A database full of customers and calls, and how long it took to fill. About 2 kB a call. `OPERATOR_DATA_URL` names one that is filled
 * already, so that several measurements can share it.
 */
async function startOperatorData(): Promise<{ postgres: BenchPostgres; facts: Record<string, unknown> }> {
  const filled = process.env["OPERATOR_DATA_URL"];
  if (filled !== undefined) {
    await migrate(filled, createLog("silent", "bench"));
    const postgres = await openBenchPostgres(filled, CONNECTIONS);
    return { postgres, facts: { customers: CUSTOMERS, calls: CALLS, gigabytes: await gigabytesOf(postgres) } };
  }
  const postgres = await startBenchPostgres({ poolSize: CONNECTIONS, settings: [...FILL_SETTINGS, ...MEMORY_SETTINGS] });
  try {
    const began = performance.now();
    await runLong(postgres, ...operatorDataStatements({ customers: CUSTOMERS, calls: CALLS }), "vacuum analyze");
    const filledInSeconds = Math.round((performance.now() - began) / 1000);
    return { postgres, facts: { customers: CUSTOMERS, calls: CALLS, filledInSeconds, gigabytes: await gigabytesOf(postgres) } };
  } catch (error) {
    await postgres.close();
    throw error;
  }
}

async function gigabytesOf({ handle }: BenchPostgres): Promise<number> {
  const { rows } = await handle.pool.query<{ bytes: string }>("select pg_database_size(current_database()) as bytes");
  return Math.round(Number(rows[0]?.bytes) / 1e8) / 10;
}

/** Fills a database with a million customers and ten million calls, verifies its ledger and deletes it. */
export async function operatorData(): Promise<Record<string, unknown>> {
  const { postgres, facts } = await startOperatorData();
  try {
    const drift = await verifyLedger(postgres.handle.db);
    if (drift.length > 0) throw new Error(`The generated rows are inconsistent: ${drift[0]?.check}`);
    return { ...facts, postgres: postgres.facts };
  } finally {
    await postgres.close();
  }
}
