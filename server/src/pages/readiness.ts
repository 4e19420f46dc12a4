import { sql } from "kysely";
import type { Metric } from "../platform/metric.ts";
import type { ServiceContext } from "../context.ts";

export type PartState = "ok" | "down";
export type Readiness = Record<"database" | "rates" | "voice" | "payments", PartState>;

/** Parts whose absence takes the service out of rotation. Without a provider it still serves everything else. */
const NEEDED_TO_SERVE: readonly (keyof Readiness)[] = ["database", "rates"];

/** Results are cached this long: there may be many probes, and providers must not be flooded. */
const GOOD_FOR_MS = 5_000;
const PROBE_TIMEOUT_MS = 2_000;
const VOICE_API = "https://api.telnyx.com/v2";
const PAYMENT_API = "https://api.stripe.com";

/** The parts that are down, by whether the service can serve without them. Migrations are applied before it listens. */
export function partsDown(states: Readiness): { readonly needed: string[]; readonly providers: string[] } {
  const down = (Object.keys(states) as (keyof Readiness)[]).filter((part) => states[part] === "down");
  return {
    needed: down.filter((part) => NEEDED_TO_SERVE.includes(part)),
    providers: down.filter((part) => !NEEDED_TO_SERVE.includes(part)),
  };
}

/** For monitoring. `/api/ready` names the parts that are down itself. */
export function partMetrics(readiness: () => Promise<Readiness>): Metric[] {
  return [
    {
      name: "farline_part_up",
      help: "1 if the part answers, 0 if not",
      label: "part",
      read: async () => new Map(Object.entries(await readiness()).map(([part, state]) => [part, state === "ok" ? 1 : 0])),
      warning: () => null,
    },
  ];
}

/** Checks the database, the rates and the providers. Concurrent callers share one check. */
export function createReadiness({ config, handle, log, rates }: ServiceContext): () => Promise<Readiness> {
  const { db } = handle;
  const probe = async (part: keyof Readiness, request: () => Promise<unknown>): Promise<PartState> => {
    try {
      await request();
      return "ok";
    } catch (error) {
      log.warn({ err: error, part }, "a part is down");
      return "down";
    }
  };
  const request = async (): Promise<Readiness> => {
    const [database, voice, payments] = await Promise.all([
      probe("database", () => sql`select 1`.execute(db)),
      probe("voice", () => reach(config.telnyx.apiBase ?? VOICE_API)),
      probe("payments", () => reach(config.stripe.apiBase ?? PAYMENT_API)),
    ]);
    return { database, rates: rates.ready() ? "ok" : "down", voice, payments };
  };
  let last: { at: number; answer: Promise<Readiness> } | null = null;
  return () => {
    // A monotonic clock: this is elapsed time, not time of day.
    const now = performance.now();
    if (last === null || now - last.at > GOOD_FOR_MS) last = { at: now, answer: request() };
    return last.answer;
  };
}

/** Any response counts, even a refusal: it shows that the provider is up. */
async function reach(url: string): Promise<void> {
  const response = await fetch(url, { method: "HEAD", redirect: "manual", signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
  await response.body?.cancel();
}
