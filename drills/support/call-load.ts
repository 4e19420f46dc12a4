import { setTimeout as pause } from "node:timers/promises";
import type { Product } from "@farline/e2e/support/product.ts";
import { ScriptedCaller } from "./scripted-caller.ts";
import { TONE_LINE } from "@farline/e2e/support/phone-network.ts";
import pg from "pg";

const CALLERS = 2;
const TALK_MS = 4_000;
const AFTER_A_FAILURE_MS = 500;
const SETTLED_WITHIN_MS = 120_000;

/** Customers who call the tone line one call after the other, with real audio through the exchange. */
export class CallLoad {
  readonly #product: Product;
  readonly #workers: Promise<void>[] = [];
  #stopping = false;
  readonly customers = new Set<string>();
  /** Calls that were answered. */
  readonly answered = new Set<string>();
  failed = 0;

  constructor(product: Product) {
    this.#product = product;
  }

  start(): void {
    for (let n = 0; n < CALLERS; n++) this.#workers.push(this.#work());
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#workers);
  }

  /** Waits until every call is settled. @returns a sentence for each answered call that is missing or that is not settled */
  async compare(databaseUrl: string): Promise<string[]> {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    try {
      const until = Date.now() + SETTLED_WITHIN_MS;
      for (;;) {
        const { rows } = await client.query<{ id: string; settled: boolean }>(
          `select c.id, c.ended_at is not null and h.state <> 'pending' as settled from call c join hold h on h.id = c.id
           where c.id = any($1)`,
          [[...this.answered]],
        );
        const states = new Map(rows.map(({ id, settled }) => [id, settled]));
        const faults = [...this.answered].flatMap((id) => {
          if (states.get(id) === true) return [];
          return [`call ${id} is ${states.has(id) ? "not settled" : "missing"}`];
        });
        if (faults.length === 0 || Date.now() > until) return faults;
        await pause(1_000);
      }
    } finally {
      await client.end();
    }
  }

  async #work(): Promise<void> {
    let caller: ScriptedCaller | null = null;
    while (!this.#stopping) {
      try {
        caller ??= await this.#signUp();
        this.answered.add(await caller.call(TONE_LINE));
        await pause(TALK_MS);
        await caller.hangUp();
      } catch {
        this.failed += 1;
        await pause(AFTER_A_FAILURE_MS);
      }
      await caller?.leave();
    }
  }

  async #signUp(): Promise<ScriptedCaller> {
    const caller = await ScriptedCaller.signUp(this.#product);
    this.customers.add(caller.customerId);
    return caller;
  }
}
