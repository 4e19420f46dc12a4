import type { StatusParts } from "@farline/contract/public-pages.ts";
import { partNames, type PartName, type PartUse } from "@farline/contract/operations.ts";
import type { RunbookName } from "@farline/contract/operator/constants.ts";
import { settleWithin } from "@farline/domain/durations.ts";
import type { UseSummary } from "@farline/domain/health.ts";
import { judgeCalls } from "../calls/calls.ts";
import type { ServiceContext } from "../context.ts";
import { probeMailServer } from "../mail/mail.ts";
import type { DatabaseWatch } from "../platform/database/database-watch.ts";
import { type Metric, sharedReading, type Warned } from "../platform/metric.ts";
import { type UsedPart, usedParts } from "../platform/uses.ts";
import type { Intake } from "../restore/restore.ts";

/** How a part does. `warned` is null while it works. */
interface PartReport {
  readonly worked: number;
  readonly failed: number;
  readonly lastAt: Date | null;
  readonly warned: Warned | null;
}
export type PartStates = Readonly<Partial<Record<PartName, PartUse["state"]>>>;
type Readiness = ReadonlyMap<PartName, PartReport>;

/** Parts whose absence takes the service out of rotation. Without a provider it still serves everything else. */
const NEEDED_TO_SERVE: readonly PartName[] = ["database", "rates"];
/** Parts without which nobody can call or pay wake somebody up; the others wait. */
const TICKETS: ReadonlySet<string> = new Set<PartName>(["mails", "google", "webhooks"]);
const RUNBOOKS: Readonly<Partial<Record<PartName, RunbookName>>> = {
  intake: "intake-closed",
  payments: "payments-failing",
  mails: "mails-waiting",
  postings: "service-errors",
  webhooks: "service-errors",
  calls: "calls-fewer",
};

/** Nobody has used it for this long: it is asked something that needs our key, as often as this. */
const IDLE_MS = { voice: 15_000, payments: 15_000, mails: 30_000 } as const;
type ProbedPart = keyof typeof IDLE_MS;
/** Probes of a provider that hangs must not hold up who asks. */
const PROBE_TIMEOUT_MS = 2_000;
/** Readings of the database are kept this long. */
const CALLS_GOOD_FOR_MS = 5_000;
/** Signatures and checkouts fail at a few minutes. */
const MAX_SKEW_SECONDS = 20;

const NAMES: Readonly<Record<UsedPart | "calls", string>> = {
  voice: "requests to the voice provider",
  payments: "requests to the payment provider",
  mails: "mails",
  google: "sign-ins by Google",
  webhooks: "providers' events",
  postings: "transactions",
  calls: "calls",
};

/** The needed parts that are down. Migrations are applied before the service listens. */
export function neededPartsDown(readiness: Readiness): PartName[] {
  return NEEDED_TO_SERVE.filter((part) => (readiness.get(part)?.warned ?? null) !== null);
}

/** Each part's state, for `/api/ready` and the page of states. */
export function partStates(readiness: Readiness): PartStates {
  return Object.fromEntries(presentParts(readiness).map(({ part, state }) => [part, state]));
}

/** What callers can do: calls and payments need intake open, too. */
export function publicStates(states: PartStates): StatusParts {
  const all = (...parts: PartName[]) => (parts.some((part) => states[part] === "down") ? "down" : "ok");
  return {
    database: all("database", "postings"),
    rates: all("rates"),
    voice: all("voice", "calls", "intake"),
    payments: all("payments", "intake"),
  };
}

export function presentParts(readiness: Readiness): PartUse[] {
  return [...readiness].map(([part, { worked, failed, lastAt, warned }]) => ({
    part,
    state: warned === null ? "ok" : "down",
    worked,
    failed,
    last_at: lastAt?.toISOString() ?? null,
  }));
}

export type ReadReadiness = () => Promise<Readiness>;

/** For monitoring. `/api/ready` names the parts that are down itself. */
export function partMetrics({ uses }: Pick<ServiceContext, "uses">, readiness: ReadReadiness): Metric[] {
  let last: Readiness = new Map();
  return [
    {
      name: "farline_clock_skew_seconds",
      help: "How far this machine's clock is ahead of the payment provider's",
      read: async () => uses.clockSkewSeconds,
      runbook: "payments-failing",
      level: "ticket",
      inMemory: true,
      warning: (seconds) =>
        Math.abs(seconds) <= MAX_SKEW_SECONDS
          ? null
          : `This machine's clock is ${Math.abs(seconds)} seconds ${seconds > 0 ? "ahead of" : "behind"} the payment provider's.`,
    },
    {
      name: "farline_part_up",
      help: "1 if the part's latest real uses worked, 0 if not",
      label: "part",
      inMemory: true,
      read: async () => {
        last = await readiness();
        return new Map([...last].map(([part, { warned }]) => [part, warned === null ? 1 : 0]));
      },
      runbook: (part) => RUNBOOKS[part as PartName] ?? "part-down",
      level: (part) => (TICKETS.has(part) ? "ticket" : "page"),
      warning: (up, part = "") => (up === 1 ? null : (last.get(part as PartName)?.warned ?? `Not ready: ${part}.`)),
    },
    {
      name: "farline_part_uses",
      help: "Of the latest uses of a part, at most 20 of the last quarter of an hour, those that failed",
      label: "part",
      inMemory: true,
      read: async () => new Map([...(await readiness())].map(([part, { failed }]) => [part, failed])),
    },
  ];
}

/**
 * How each part does: database and rates at this moment, all others by what happened to their latest real uses. A provider that nobody has used
 * lately is asked something that needs our key.
 * @param watch knows the database's state from connections of its own
 */
export function createReadiness(
  ctx: ServiceContext,
  { watch, intake }: { readonly watch: Pick<DatabaseWatch, "trouble">; readonly intake: Pick<Intake, "closed"> },
): ReadReadiness {
  const { config, log, rates, uses } = ctx;
  const { smtpUrl } = config.mail;
  const probes: Readonly<Record<ProbedPart, (() => Promise<unknown>) | null>> = {
    voice: () => ctx.telnyx.get("/balance"),
    payments: () => ctx.stripe.balance.retrieve(),
    mails: smtpUrl === null ? null : () => probeMailServer(ctx, smtpUrl),
  };
  const running = new Map<ProbedPart, Promise<unknown>>();
  const probe = (part: ProbedPart): Promise<unknown> => {
    const ask = probes[part];
    if (ask === null || uses.idleMs(part) < IDLE_MS[part]) return Promise.resolve();
    const asked =
      running.get(part) ??
      ask()
        .catch((error: unknown) => log.warn({ err: error, part }, "a part is down"))
        .finally(() => running.delete(part));
    running.set(part, asked);
    return settleWithin(asked, PROBE_TIMEOUT_MS, () => undefined);
  };
  const calls = sharedReading(() => judgeCalls(ctx), CALLS_GOOD_FOR_MS);
  const known = usedParts.filter((part) => part !== "google" || config.google !== null);
  return async () => {
    const [ended] = await Promise.all([
      settleWithin(calls(), PROBE_TIMEOUT_MS, () => null).catch(() => null),
      ...(["voice", "payments", "mails"] as const).map(probe),
    ]);
    const reports = new Map<PartName, PartReport>([
      ["database", stateOnly(watch.trouble())],
      ["rates", stateOnly(rates.ready() ? null : { text: "No price list is active." })],
      ["intake", stateOnly(intake.closed ? INTAKE_CLOSED : null)],
      ...known.map((part) => [part, reportOf(part, uses.summary(part))] as const),
      ...(ended === null ? [] : [["calls", reportOf("calls", ended)] as const]),
    ]);
    return new Map(partNames.flatMap((part) => (reports.has(part) ? [[part, reports.get(part) as PartReport]] : [])));
  };
}

const INTAKE_CLOSED: Warned = {
  text: "Intake is closed: calls, payments and changes are refused.",
  detail: "A restore is not finished. Run restore check until everything agrees.",
};

function stateOnly(warned: Warned | null): PartReport {
  return { worked: 0, failed: 0, lastAt: null, warned };
}

function reportOf(part: UsedPart | "calls", { worked, failed, lastAtMs, failure, failingSinceMs }: UseSummary): PartReport {
  const text = `${failed} of the last ${worked + failed} ${NAMES[part]} failed.`;
  const since = failingSinceMs === null ? null : new Date(failingSinceMs);
  const lastAt = lastAtMs === null ? null : new Date(lastAtMs);
  return { worked, failed, lastAt, warned: failure === null ? null : { text, detail: failure, since } };
}
