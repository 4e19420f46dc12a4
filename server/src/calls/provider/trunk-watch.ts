import { fromDecimalString } from "@farline/domain/money.ts";
import { findOffers, type PricedTrunk } from "@farline/domain/rates/find-offers.ts";
import { z } from "zod";
import type { ServiceContext } from "../../context.ts";
import type { Metric } from "../../platform/metric.ts";
import type { Destination } from "../record/destination.ts";
import type { ProviderConnection } from "./provider-connection.ts";

const READ_EVERY_MS = 10_000;
const HOUR_MS = 60 * 60_000;
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
      }),
    )
    .max(1_000),
});
type Trunk = z.infer<typeof trunkList>["data"][number];

/** Follows the exchange's trunks. Telnyx has none: it routes calls by itself. */
export interface TrunkWatch {
  /** Reads the trunks now, and regularly until `stop`. */
  start(): void;
  stop(): void;
  read(): Promise<void>;
  /** Whether a trunk may carry calls to a destination at its price. True while the trunks are unknown: the exchange decides too. */
  carries(destination: Pick<Destination, "e164" | "quote">): Promise<boolean>;
  readonly metrics: readonly Metric[];
  /** The trunks as of the last reading; null while they are unknown, and if the provider has none. */
  states(): readonly TrunkState[] | null;
}

/** What the exchange says about a trunk. */
export interface TrunkState {
  readonly name: string;
  /** The status with which its carrier refuses our account; null if it does not. */
  readonly refusedWith: number | null;
  /** Too many calls in a row have failed. */
  readonly failing: boolean;
  /** It does not answer the exchange's OPTIONS. */
  readonly down: boolean;
}

export function createTrunkWatch(ctx: ServiceContext, connection: ProviderConnection): TrunkWatch {
  const { log, clock, rates } = ctx;
  let trunks: readonly Trunk[] | null = null;
  let timer: NodeJS.Timeout | null = null;
  /** When a call was last refused, by prefix. */
  const uncarried = new Map<string, number>();

  async function read(): Promise<void> {
    if (!(await connection.has("trunks"))) return;
    trunks = trunkList.parse(await ctx.telnyx.get<unknown>("/trunks")).data;
  }

  function run(): void {
    read().catch((error: unknown) => log.warn({ err: error }, "the exchange's trunks could not be read"));
  }

  async function carries({ e164, quote }: Pick<Destination, "e164" | "quote">): Promise<boolean> {
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
    states: () =>
      trunks?.map(({ name, refused_with: refusedWith, failing, down }) => ({ name, refusedWith, failing, down })) ?? null,
    metrics: trunkMetrics({
      trunks: () => trunks ?? [],
      uncarried: () => {
        forgetOld(clock.now().getTime());
        return uncarried.size;
      },
    }),
  };
}

/** Metrics for monitoring. */
function trunkMetrics(now: { readonly trunks: () => readonly Trunk[]; readonly uncarried: () => number }): Metric[] {
  return [
    {
      name: "farline_trunks_refusing",
      help: "Trunks that do not answer, whose carrier refuses our account, or that have failed too many calls in a row, as of the last reading",
      read: async () => now.trunks().filter((one) => one.refused_with !== null || one.failing || one.down).length,
      runbook: "trunk-down",
      level: "ticket",
      warning: (count) =>
        count === 0
          ? null
          : `${count} of the exchange's trunks do not answer, or refuse or fail calls. See sip_trunks in its GET /healthz.`,
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

function pricedTrunk({ name, prefixes, cost }: Trunk): PricedTrunk {
  if (cost === null) return { name, prefixes };
  const { rate_per_minute: rate, first_interval: firstIntervalSeconds, next_interval: nextIntervalSeconds } = cost;
  return { name, prefixes, cost: { ratePerMinuteMicros: fromDecimalString(rate), firstIntervalSeconds, nextIntervalSeconds } };
}
