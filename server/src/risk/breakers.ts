import { formatDollars } from "@farline/domain/money.ts";
import type { Context } from "../context.ts";
import { isUuid } from "@farline/domain/uuid.ts";
import { type Verb, CONCERNS_NOBODY } from "../operator/operator.ts";
import { AppError } from "../platform/app-error.ts";
import type { Metric } from "../platform/metric.ts";
import { listBreakers, markLifted, readCarrierSpend } from "./breaker.store.ts";
import { startOfDay } from "./decide-breakers.ts";
import type { Breaker } from "./risk.tables.ts";

/** The breakers and warnings in force, and today's carrier cost in micro-dollars, for operators. */
export async function readBreakers({ handle, clock }: Context): Promise<{ spentMicros: bigint; breakers: Breaker[] }> {
  const now = clock.now();
  return {
    spentMicros: await readCarrierSpend(handle.db, startOfDay(now), now),
    breakers: await listBreakers(handle.db, now),
  };
}

/** Lifts a breaker: ends a pause, or raises the daily carrier limit by its original amount. */
const lift: Verb<"lift-breaker", Breaker> = {
  plan: async (tx, ctx, { breaker: id }) => ({
    ...CONCERNS_NOBODY,
    subject: id,
    run: async () => {
      const lifted = isUuid(id) ? await markLifted(tx, id, ctx.clock.now()) : undefined;
      if (lifted === undefined) throw new AppError("not_found", { reason: "operator.no_breaker", params: { breaker: id } });
      return { result: lifted, detail: { ...lifted.inputs, kind: lifted.kind, breaker_subject: lifted.subject } };
    },
  }),
  respond: ({ result }) => ({ text: result === null ? "" : liftedText(result) }),
};

export const breakerVerbs = { "lift-breaker": lift };

function liftedText({ kind, subject, until }: Breaker): string {
  return kind === "carrier_spend"
    ? "Calls are allowed again. Today's limit is raised by the daily amount."
    : `Calls to ${subject} are allowed again. There is no new pause before ${until.toISOString()}.`;
}

/** What a breaker stops or notes, as operators read it. */
export function breakerText({ kind, subject, inputs }: Pick<Breaker, "kind" | "subject" | "inputs">): string {
  const what = {
    carrier_spend: "all but trusted customers' ordinary calls are stopped",
    spend_note: `${subject} % of the day's limit is used`,
    prefix: `calls to +${subject} are paused`,
    country: `calls to ${subject} are paused`,
  };
  const amounts = Object.entries(inputs).map(
    ([name, micros]) => `${name.replace("_micros", "")} $${formatDollars(BigInt(micros))}`,
  );
  return `${what[kind]} (${amounts.join(", ")})`;
}

/** Metrics for monitoring. */
export function breakerMetrics({ handle, clock }: Context): Metric[] {
  const inForce = async () => {
    const breakers = await listBreakers(handle.db, clock.now());
    return breakers.filter((one) => one.lifted_at === null);
  };
  return [
    {
      name: "farline_breakers_open",
      help: "Breakers that currently stop calls for all customers",
      read: async () => (await inForce()).filter((one) => one.kind !== "spend_note").length,
      runbook: "carrier-spend",
      level: "page",
      warning: (open) => (open === 0 ? null : `Breakers that stop calls: ${open}. See the command breakers.`),
    },
    {
      name: "farline_carrier_spend_noted_percent",
      help: "Highest warning threshold of the daily carrier cost limit that was passed, in percent",
      read: async () =>
        Math.max(0, ...(await inForce()).flatMap((one) => (one.kind === "spend_note" ? [Number(one.subject)] : []))),
      runbook: "carrier-spend",
      level: "ticket",
      warning: (percent) =>
        percent === 0 ? null : `Carrier cost has passed ${percent} % of the daily limit. See the command breakers.`,
    },
  ];
}
