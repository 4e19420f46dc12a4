import type { Pool } from "pg";
import { z } from "zod";
import { keepSetting, readSetting } from "../store/setting.store.ts";

/** Faults on demand for webhooks and API answers. All are off by default. */
export interface Chaos {
  /** Share of new events that are never delivered, in percent. They can still be listed. */
  lose: number;
  /** Share of new events that are delivered twice, in percent. */
  duplicate: number;
  /** New events are delivered this much later. */
  delayMs: number;
  /** New events are delivered up to this much later still, each by chance: they overtake one another. */
  reorderMs: number;
  /** Which comes first after a payment on the page: the webhook or the browser. Whatever happens to be, if `free`. */
  order: "free" | "webhook_first" | "redirect_first";
  /** Webhooks are signed with a clock that is wrong by this much. */
  clockSkewSeconds: number;
  /** Share of API requests that are done, but whose connection is cut instead of an answer, in percent. */
  dropAnswers: number;
  /** Share of API requests that are answered with 500 and do nothing, in percent. */
  serverErrors: number;
  /** Share of API requests that are answered with 429 and do nothing, in percent. */
  rateLimits: number;
  /** The next this many creating requests are answered with 500 and do nothing. */
  failNextCreate: number;
  /** The next this many creating requests are done, but the connection is cut instead of an answer. */
  dropNextAnswer: number;
  /** The next this many creating requests are answered with 429 and do nothing. */
  limitNextCreate: number;
}
export type ChaosCounter = "failNextCreate" | "dropNextAnswer" | "limitNextCreate";

const MAX_DELAY_MS = 600_000;
const MAX_SKEW_SECONDS = 86_400;
const percent = z.union([z.number().int().min(0).max(100), z.boolean().transform((on) => (on ? 100 : 0))]);
const count = z.union([z.number().int().min(0).max(100), z.boolean().transform(Number)]);
const delay = z.number().int().min(0).max(MAX_DELAY_MS);

/** What may be asked for; yes and no stand for all and none. */
export const chaosChange = z
  .strictObject({
    lose: percent,
    duplicate: percent,
    delayMs: delay,
    reorderMs: delay,
    order: z.enum(["free", "webhook_first", "redirect_first"]),
    clockSkewSeconds: z.number().int().min(-MAX_SKEW_SECONDS).max(MAX_SKEW_SECONDS),
    dropAnswers: percent,
    serverErrors: percent,
    rateLimits: percent,
    failNextCreate: count,
    dropNextAnswer: count,
    limitNextCreate: count,
  })
  .partial();

const CALM: Chaos = {
  lose: 0,
  duplicate: 0,
  delayMs: 0,
  reorderMs: 0,
  order: "free",
  clockSkewSeconds: 0,
  dropAnswers: 0,
  serverErrors: 0,
  rateLimits: 0,
  failNextCreate: 0,
  dropNextAnswer: 0,
  limitNextCreate: 0,
};
const SETTING = "chaos";

/** Holds the faults that are on, and keeps them over a restart. */
export class ChaosSwitch {
  readonly #pool: Pool;
  #current: Chaos;

  private constructor(pool: Pool, current: Chaos) {
    this.#pool = pool;
    this.#current = current;
  }

  static async load(pool: Pool): Promise<ChaosSwitch> {
    const kept = chaosChange.safeParse(await readSetting(pool, SETTING));
    return new ChaosSwitch(pool, { ...CALM, ...kept.data });
  }

  get current(): Readonly<Chaos> {
    return this.#current;
  }

  async set(wanted: z.output<typeof chaosChange>): Promise<Chaos> {
    this.#current = { ...this.#current, ...wanted };
    await keepSetting(this.#pool, SETTING, this.#current);
    return this.#current;
  }

  calm(): Promise<Chaos> {
    return this.set(CALM);
  }

  /** Uses one of a counter up. False when there is none left. */
  async take(counter: ChaosCounter): Promise<boolean> {
    const left = this.#current[counter];
    if (left === 0) return false;
    await this.set({ [counter]: left - 1 });
    return true;
  }
}
