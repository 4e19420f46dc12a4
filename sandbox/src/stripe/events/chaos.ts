import { DAY_SECONDS } from "@farline/domain/durations.ts";
import type { Pool } from "pg";
import { z } from "zod";
import type { Tx } from "../../database.ts";

/** A fault's strength; `on` is what `true` stands for, 0 is off. */
interface Fault {
  label: string;
  min: number;
  max: number;
  on?: number;
}

const percent = { min: 0, max: 100, on: 100 };
const count = { min: 0, max: 100, on: 1 };
const delayMs = { min: 0, max: 600_000 };

/** Applied to new events, except for the clock. Events that are never sent can still be listed. */
export const webhookFaults = {
  lose: { ...percent, label: "Never sent, in percent" },
  duplicate: { ...percent, label: "Sent twice, in percent" },
  delayMs: { ...delayMs, label: "Delayed, in milliseconds" },
  reorderMs: { ...delayMs, label: "Delayed at random by up to, in milliseconds" },
  clockSkewSeconds: { min: -DAY_SECONDS, max: DAY_SECONDS, label: "Signing clock is wrong by, in seconds" },
} satisfies Record<string, Fault>;

/** A dropped response is one to a request that was processed; 500 and 429 are sent instead of processing it. */
export const apiFaults = {
  dropAnswers: { ...percent, label: "Processed, but the response is lost, in percent" },
  serverErrors: { ...percent, label: "Rejected with 500, in percent" },
  rateLimits: { ...percent, label: "Rejected with 429, in percent" },
  restricted: { ...percent, label: "Creates rejected with 400, because the account may not charge, in percent" },
  dropNextAnswer: { ...count, label: "Next creates whose response is lost" },
  failNextCreate: { ...count, label: "Next creates rejected with 500" },
  limitNextCreate: { ...count, label: "Next creates rejected with 429" },
} satisfies Record<string, Fault>;

/** What comes first after a payment on the page. */
export const deliveryOrders = {
  free: "Whichever happens to be first",
  webhook_first: "The webhook, before the browser returns",
  redirect_first: "The browser, 5 seconds before the webhook",
} as const;

/** The currency of the account, in thousandths of its smallest unit for each cent. */
export const settlementRates = { usd: 1_000, eur: 921, jpy: 1_512, kwd: 3_070 } as const;

type FaultName = keyof typeof webhookFaults | keyof typeof apiFaults;
type ChaosCounter = "failNextCreate" | "dropNextAnswer" | "limitNextCreate";
export type Chaos = Readonly<
  Record<FaultName, number> & { order: keyof typeof deliveryOrders; settles: keyof typeof settlementRates }
>;

const faults = Object.entries<Fault>({ ...webhookFaults, ...apiFaults });
const NO_FAULTS = { ...Object.fromEntries(faults.map(([name]) => [name, 0])), order: "free", settles: "usd" } as Chaos;
const SETTING = "chaos";

function strength({ min, max, on }: Fault): z.ZodType<number> {
  const number = z.number().int().min(min).max(max);
  return on === undefined ? number : z.union([number, z.boolean().transform((yes) => (yes ? on : 0))]);
}

export const chaosChange = z
  .strictObject({
    ...(Object.fromEntries(faults.map(([name, fault]) => [name, strength(fault)])) as Record<FaultName, z.ZodType<number>>),
    order: z.enum(Object.keys(deliveryOrders) as (keyof typeof deliveryOrders)[]),
    settles: z.enum(Object.keys(settlementRates) as (keyof typeof settlementRates)[]),
  })
  .partial();

/** The faults in force; they survive a restart. */
export class ChaosState {
  readonly #pool: Pool;
  #current: Chaos;

  private constructor(pool: Pool, current: Chaos) {
    this.#pool = pool;
    this.#current = current;
  }

  static async load(pool: Pool): Promise<ChaosState> {
    const stored = chaosChange.safeParse(await readSetting(pool, SETTING));
    return new ChaosState(pool, { ...NO_FAULTS, ...(stored.data as Partial<Chaos>) });
  }

  get current(): Chaos {
    return this.#current;
  }

  async set(change: z.output<typeof chaosChange>): Promise<Chaos> {
    this.#current = { ...this.#current, ...(change as Partial<Chaos>) };
    await storeSetting(this.#pool, SETTING, this.#current);
    return this.#current;
  }

  reset(): Promise<Chaos> {
    return this.set(NO_FAULTS);
  }

  /** Decrements a counter. Returns false if it was 0. */
  async take(counter: ChaosCounter): Promise<boolean> {
    const left = this.#current[counter];
    if (left === 0) return false;
    await this.set({ [counter]: left - 1 });
    return true;
  }
}

/** Null if it was never stored. */
async function readSetting(tx: Tx, name: string): Promise<unknown> {
  const { rows } = await tx.query<{ value: unknown }>("select value from sandbox_stripe.setting where name = $1", [name]);
  return rows[0]?.value ?? null;
}

async function storeSetting(tx: Tx, name: string, value: unknown): Promise<void> {
  await tx.query(
    "insert into sandbox_stripe.setting (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value",
    [name, JSON.stringify(value)],
  );
}
