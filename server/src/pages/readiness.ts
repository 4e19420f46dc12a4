import { type Metric, sharedReading, type Trouble } from "../platform/metric.ts";
import type { ServiceContext } from "../context.ts";

type PartState = "ok" | "down";
export type Readiness = Record<"database" | "rates" | "voice" | "payments", PartState>;

/** Parts whose absence takes the service out of rotation. Without a provider it still serves everything else. */
const NEEDED_TO_SERVE: readonly (keyof Readiness)[] = ["database", "rates"];

/** What the providers answered is kept this long: there may be many probes, and providers must not be flooded. */
const GOOD_FOR_MS = 5_000;
/** A balancer's responses for a server behind it that is gone. */
const NOBODY_BEHIND: readonly number[] = [502, 503, 504];
const PROBE_TIMEOUT_MS = 2_000;
/** Signatures and checkouts fail at a few minutes. */
const MAX_SKEW_SECONDS = 20;
const VOICE_API = "https://api.telnyx.com/v2";
const PAYMENT_API = "https://api.stripe.com";

/** The providers that do not answer, for operators. */
export function absentProviders(states: Readiness): Trouble[] {
  return partsDown(states).providers.map((part) => ({ text: absenceText(part), runbook: "part-down" }));
}

/** The parts that are down, by whether the service can serve without them. Migrations are applied before it listens. */
export function partsDown(states: Readiness): { readonly needed: string[]; readonly providers: string[] } {
  const down = (Object.keys(states) as (keyof Readiness)[]).filter((part) => states[part] === "down");
  return {
    needed: down.filter((part) => NEEDED_TO_SERVE.includes(part)),
    providers: down.filter((part) => !NEEDED_TO_SERVE.includes(part)),
  };
}

export type ReadReadiness = (() => Promise<Readiness>) & {
  /** How far this machine's clock was ahead of the payment provider's when it last answered. */
  clockSkewSeconds(): number;
};

/** For monitoring. `/api/ready` names the parts that are down itself. */
export function partMetrics(readiness: ReadReadiness): Metric[] {
  return [
    {
      name: "farline_clock_skew_seconds",
      help: "How far this machine's clock is ahead of the payment provider's",
      read: async () => {
        await readiness();
        return readiness.clockSkewSeconds();
      },
      runbook: "payments-failing",
      level: "ticket",
      warning: (seconds) =>
        Math.abs(seconds) <= MAX_SKEW_SECONDS
          ? null
          : `This machine's clock is ${Math.abs(seconds)} seconds ${seconds > 0 ? "ahead of" : "behind"} the payment provider's.`,
    },
    {
      name: "farline_part_up",
      help: "1 if the part answers, 0 if not",
      label: "part",
      read: async () => new Map(Object.entries(await readiness()).map(([part, state]) => [part, state === "ok" ? 1 : 0])),
      runbook: "part-down",
      level: "page",
      warning: (answers, part = "") => (answers === 1 ? null : absenceText(part)),
    },
  ];
}

function absenceText(part: string): string {
  return NEEDED_TO_SERVE.some((one) => one === part) ? `Not ready: ${part}.` : `The ${part} provider does not answer.`;
}

/**
 * Checks the database, the rates and the providers. Concurrent callers share one check of the providers.
 * @param watch knows the database's state of this moment from a connection of its own
 */
export function createReadiness(
  { clock, config, log, rates }: ServiceContext,
  watch: { readonly answering: boolean; readonly hasConnection: boolean },
): ReadReadiness {
  let skewSeconds = 0;
  const probe = async (part: keyof Readiness, request: () => Promise<unknown>): Promise<PartState> => {
    try {
      await request();
      return "ok";
    } catch (error) {
      log.warn({ err: error, part }, "a part is down");
      return "down";
    }
  };
  const request = async () => {
    const [voice, payments] = await Promise.all([
      probe("voice", () => reach(config.telnyx.apiBase ?? VOICE_API)),
      probe("payments", async () => {
        const { date } = await reach(config.stripe.apiBase ?? PAYMENT_API);
        if (date !== null) skewSeconds = Math.round((clock.now().getTime() - date.getTime()) / 1_000);
      }),
    ]);
    return { voice, payments };
  };
  const readProviders = sharedReading(request, GOOD_FOR_MS);
  const read = async (): Promise<Readiness> => {
    const providers = await readProviders();
    const database = watch.answering && watch.hasConnection ? "ok" : "down";
    return { database, rates: rates.ready() ? "ok" : "down", ...providers };
  };
  return Object.assign(read, { clockSkewSeconds: () => skewSeconds });
}

/** Any response of the provider counts, even a refusal: it shows that it is up. Its own are JSON. */
async function reach(url: string): Promise<{ readonly date: Date | null }> {
  const response = await fetch(url, { method: "HEAD", redirect: "manual", signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
  await response.body?.cancel();
  const { status, headers } = response;
  const isProxysPage = status === 404 && headers.get("content-type")?.startsWith("text/") === true;
  if (NOBODY_BEHIND.includes(status) || isProxysPage) throw new Error(`A balancer answered ${status}.`);
  const date = Date.parse(headers.get("date") ?? "");
  return { date: Number.isNaN(date) ? null : new Date(date) };
}
