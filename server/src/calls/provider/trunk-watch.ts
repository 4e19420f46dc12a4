import { HOUR_MS } from "@farline/domain/durations.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
import { findOffers, type PricedTrunk } from "@farline/domain/rates/find-offers.ts";
import { z } from "zod";
import type { ServiceContext } from "../../context.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Metric } from "../../platform/metric.ts";
import type { Destination } from "../record/destination.ts";
import type { Certificate } from "./certificates.ts";
import type { ProviderConnection } from "./provider-connection.ts";

const READ_EVERY_MS = 10_000;
/** What was read before that is not known any more. */
const STALE_MS = 45_000;
/** Then a person can still add an exchange before calls are refused. */
const NEARLY_FULL = 0.9;
/** Events begin, charge and end calls. */
const EVENTS_LATE_SECONDS = 2 * 60;
/** So long a replaced media process is said: its calls ended. */
const REPLACED_SAID_MS = 15 * 60_000;
/** Prefixes of calls that no trunk carries, for the warning. */
const MAX_PREFIXES = 1_000;

const dollars = z.string().regex(/^\d{1,4}(\.\d{1,6})?$/);
const trunkList = z.object({
  data: z
    .array(
      z.object({
        name: z.string().max(64),
        prefixes: z.array(z.string().max(16)),
        cost: z.object({ rate_per_minute: dollars, first_interval: z.int().min(1), next_interval: z.int().min(1) }).nullable(),
        refused_with: z.int().nullable(),
        failing: z.boolean(),
        down: z.boolean(),
        // Not said by an exchange of the release before.
        up: z.boolean().default(true),
        connected: z.boolean().nullable().default(null),
        registration: z.string().max(64).nullable().default(null),
      }),
    )
    .max(1_000),
});
type Trunk = z.infer<typeof trunkList>["data"][number];

const exchangeList = z.object({
  data: z
    .array(
      z.object({
        node: z.string().max(64),
        /** Null for one that does not answer the others. */
        calls: z.int().nullable(),
        max_calls: z.int().nullable(),
        journal: z.object({ code: z.string().max(64), since: z.iso.datetime() }).nullable(),
        events_waiting_seconds: z.int(),
        media: z.array(z.object({ up: z.boolean(), died_at: z.iso.datetime().nullable() })).max(1_000),
        // Not said by an exchange of the release before.
        certificates: z
          .array(z.object({ name: z.string().max(128), ends_at: z.iso.datetime() }))
          .max(1_000)
          .default([]),
      }),
    )
    .max(1_000),
});
type ExchangeRecord = z.infer<typeof exchangeList>["data"][number];

/** Follows the exchanges and their trunks. Telnyx has none: it routes calls by itself. */
export interface TrunkWatch {
  /** Reads the trunks now, and regularly until `stop`. */
  start(): void;
  stop(): void;
  read(): Promise<void>;
  /** Whether a trunk may carry calls to a destination at its price. True while the trunks are unknown: the exchange decides too. */
  carries(destination: Pick<Destination, "e164" | "quote">): Promise<boolean>;
  readonly metrics: readonly Metric[];
  /** The certificates that the exchanges use and have met, each by its exchange and name. */
  certificates(): readonly Certificate[];
  /** The trunks as of the last reading; null while they are unknown, and if the provider has none. */
  states(): readonly TrunkState[] | null;
}

/** What the exchange says about a trunk. */
export interface TrunkState {
  readonly name: string;
  /** Whether it can carry calls: the same as the exchange's `farline_exchange_trunk_up`. */
  readonly up: boolean;
  /** The status with which its carrier refuses our account; null if it does not. */
  readonly refusedWith: number | null;
  /** Too many calls in a row have failed. */
  readonly failing: boolean;
  /** Why it is not up, for operators; null if it is. */
  readonly problem: string | null;
}

export function createTrunkWatch(ctx: ServiceContext, connection: ProviderConnection): TrunkWatch {
  const { log, clock, rates } = ctx;
  let lastTrunks: readonly Trunk[] | null = null;
  let exchanges: readonly ExchangeRecord[] = [];
  let readAtMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | null = null;
  /** When a call was last refused, by prefix. */
  const uncarried = new Map<string, number>();

  async function read(): Promise<void> {
    if (!(await connection.has("trunks"))) return;
    lastTrunks = trunkList.parse(await ctx.telnyx.get<unknown>("/trunks")).data;
    if (await connection.has("exchanges")) exchanges = exchangeList.parse(await ctx.telnyx.get<unknown>("/exchanges")).data;
    readAtMs = performance.now();
  }

  /** Null while they are unknown, also because the exchange has not answered for a while. */
  const known = () => (performance.now() - readAtMs <= STALE_MS ? lastTrunks : null);

  function run(): void {
    read().catch((error: unknown) => log.warn({ err: error }, "the exchange's trunks could not be read"));
  }

  async function carries({ e164, quote }: Pick<Destination, "e164" | "quote">): Promise<boolean> {
    const trunks = known();
    if (trunks === null) return true;
    const costs = new Map((await rates.trunkCosts(e164)).map(({ trunk, cost }) => [trunk, cost]));
    const { offers, problems } = findOffers(trunks.map(pricedTrunk), { to: e164, prices: { sale: quote, costs } });
    if (offers.length > 0) return true;
    warn(quote.prefix, problems);
    return false;
  }

  /** At most once an hour for each prefix. */
  function warn(prefix: string, problems: readonly unknown[]): void {
    const nowMs = clock.now().getTime();
    forgetOld(nowMs);
    if (uncarried.has(prefix) || uncarried.size >= MAX_PREFIXES) return;
    uncarried.set(prefix, nowMs);
    log.warn({ prefix, problems }, "calls refused: no trunk carries this prefix at its price");
  }

  function forgetOld(nowMs: number): void {
    for (const [prefix, atMs] of uncarried) if (nowMs - atMs >= HOUR_MS) uncarried.delete(prefix);
  }

  return {
    start() {
      run();
      timer = setInterval(run, READ_EVERY_MS);
    },
    stop() {
      if (timer !== null) clearInterval(timer);
    },
    read,
    carries,
    states: () => known()?.map(stateOf) ?? null,
    certificates: () => (known() === null ? [] : exchanges.flatMap(certificatesOf)),
    metrics: [
      ...trunkMetrics({
        states: () => known()?.map(stateOf) ?? [],
        uncarried: () => {
          forgetOld(clock.now().getTime());
          return uncarried.size;
        },
      }),
      ...exchangeMetrics(() => (known() === null ? [] : exchanges)),
      mediaMetric(() => (known() === null ? [] : exchanges), clock),
    ],
  };
}

function stateOf({ name, up, refused_with: refusedWith, failing, down, connected, registration }: Trunk): TrunkState {
  const isUp = up && refusedWith === null && !failing && !down;
  if (isUp) return { name, up: true, refusedWith, failing, problem: null };
  if (refusedWith !== null)
    return { name, up: false, refusedWith, failing, problem: `Its carrier refuses our account (${refusedWith}).` };
  const reason =
    connected === false
      ? "It cannot be connected: look at its address and at both certificates."
      : registration !== null && registration !== "registered"
        ? `Its registration is ${registration.replaceAll("_", " ")}.`
        : failing
          ? "Too many of its calls in a row have failed."
          : "It does not answer OPTIONS.";
  return { name, up: false, refusedWith, failing, problem: reason };
}

/** Metrics for monitoring. */
function trunkMetrics(now: { readonly states: () => readonly TrunkState[]; readonly uncarried: () => number }): Metric[] {
  return [
    {
      name: "farline_trunk_up",
      help: "1 if the exchange can send calls to the trunk, 0 if it cannot be connected or does not answer, or its carrier refuses our account or fails calls",
      label: "trunk",
      inMemory: true,
      read: async () => new Map(now.states().map(({ name, up }) => [name, up ? 1 : 0])),
      runbook: "trunk-down",
      level: "page",
      warning: (up, trunk) =>
        up === 1
          ? null
          : {
              text: `Trunk ${trunk} carries no calls.`,
              detail: now.states().find(({ name }) => name === trunk)?.problem ?? null,
            },
    },
    {
      name: "farline_prefixes_without_trunk",
      help: "Prefixes to which calls were refused in the last hour because no trunk carries them at their price",
      read: async () => now.uncarried(),
      runbook: "trunk-failing",
      level: "ticket",
      warning: (count) =>
        count === 0
          ? null
          : `Calls to ${count} prefixes are refused because no trunk carries them at their price. See the log for the prefixes and trunks.`,
    },
  ];
}

const OF_NODE = { label: "node", inMemory: true, level: "page" } as const;

/** Metrics of each exchange for monitoring, by its name. */
function exchangeMetrics(list: () => readonly ExchangeRecord[]): Metric[] {
  const byNode = (value: (one: ExchangeRecord) => number | null) => valuesByNode(list, value);
  const find = (node: string) => list().find((one) => one.node === node);
  return [
    {
      ...OF_NODE,
      name: "farline_node_up",
      help: "1 if the exchange answers, 0 if not",
      runbook: "service-down",
      read: byNode(({ calls }) => (calls === null ? 0 : 1)),
      warning: (up, node) => (up === 1 ? null : `The exchange ${node} does not answer the others.`),
    },
    {
      ...OF_NODE,
      name: "farline_node_busy_percent",
      runbook: "exchange-full",
      help: "Live calls of those that the exchange may carry at once",
      read: byNode(({ calls, max_calls: max }) => (calls === null || max === null ? null : Math.round((100 * calls) / max))),
      warning(percent, node = "") {
        if (percent < 100 * NEARLY_FULL) return null;
        const { calls, max_calls: max } = find(node) ?? {};
        return {
          text: `The exchange ${node} is nearly full: ${calls} of ${max} calls.`,
          detail: "At its limit it refuses new calls.",
        };
      },
    },
    {
      ...OF_NODE,
      name: "farline_node_journal_written",
      runbook: "exchange-disk",
      help: "1 if the exchange records its calls for a crash, 0 if its disk takes nothing",
      read: byNode(({ calls, journal }) => (calls === null ? null : journal === null ? 1 : 0)),
      warning(written, node = "") {
        if (written === 1) return null;
        const journal = find(node)?.journal ?? null;
        return {
          text: `The exchange ${node} refuses new calls: it cannot write its journal.`,
          detail: `The system says ${journal?.code}. Calls that run go on.`,
          since: journal === null ? null : new Date(journal.since),
        };
      },
    },
    {
      ...OF_NODE,
      name: "farline_node_events_waiting_seconds",
      runbook: "call-not-settled",
      help: "For how long the oldest event of a call has not been accepted by the service",
      read: byNode(({ calls, events_waiting_seconds: seconds }) => (calls === null ? null : seconds)),
      warning: (seconds, node) =>
        seconds < EVENTS_LATE_SECONDS
          ? null
          : `The service has not accepted events of the exchange ${node} for ${Math.floor(seconds / 60)} minutes.`,
    },
  ];
}

/** What was lost with media processes, by exchange. */
function mediaMetric(list: () => readonly ExchangeRecord[], clock: Clock): Metric {
  const wasReplaced = ({ media }: ExchangeRecord) =>
    media.filter(({ died_at: at }) => at !== null && clock.now().getTime() - Date.parse(at) < REPLACED_SAID_MS);
  return {
    ...OF_NODE,
    name: "farline_node_media_replaced",
    runbook: "part-down",
    help: "Media processes that died, or did not answer and were replaced, in the last quarter of an hour",
    read: valuesByNode(list, (one) => wasReplaced(one).length),
    warning(count, node = "") {
      const exchange = list().find((one) => one.node === node);
      if (count === 0 || exchange === undefined) return null;
      const away = exchange.media.filter(({ up }) => !up).length;
      return {
        text: `${count} of the ${exchange.media.length} media processes of the exchange ${node} died or did not answer, and their calls ended.`,
        detail: away === 0 ? "All serve again." : `${away} of them do not serve yet.`,
        since: new Date(Math.min(...wasReplaced(exchange).map(({ died_at: at }) => Date.parse(at ?? "")))),
      };
    },
  };
}

/** A single exchange need not have a name. */
function certificatesOf({ node, certificates }: ExchangeRecord): Certificate[] {
  return certificates.map(({ name, ends_at: at }) => ({ name: `${node || "main"}: ${name}`, endsAt: new Date(at) }));
}

/** A metric's values by the exchange's name, without those that are not known. */
function valuesByNode(list: () => readonly ExchangeRecord[], value: (one: ExchangeRecord) => number | null) {
  return async () => new Map(list().flatMap((one) => (value(one) === null ? [] : [[one.node, value(one) as number] as const])));
}

function pricedTrunk({ name, prefixes, cost }: Trunk): PricedTrunk {
  if (cost === null) return { name, prefixes };
  const { rate_per_minute: rate, first_interval: firstIntervalSeconds, next_interval: nextIntervalSeconds } = cost;
  return { name, prefixes, cost: { ratePerMinuteMicros: fromDecimalString(rate), firstIntervalSeconds, nextIntervalSeconds } };
}
