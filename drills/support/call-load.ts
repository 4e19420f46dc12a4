import { setTimeout as pause } from "node:timers/promises";
import type { Product } from "@farline/e2e/support/product.ts";
import { ScriptedCaller } from "./scripted-caller.ts";
import { TONE_LINE } from "@farline/e2e/support/phone-network.ts";
import { settleWithin } from "@farline/server/platform/settle-within.ts";
import pg from "pg";

const CALLERS = 2;
const TALK_MS = 4_000;
const AFTER_A_FAILURE_MS = 500;
const ANSWER_WITHIN_MS = 20_000;

/** Customers who call the tone line one call after the other, with real audio through the exchange. */
export class CallLoad {
  readonly #product: Product;
  readonly #workers: Promise<void>[] = [];
  #stopping = false;
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

  /** @returns a sentence for each answered call that is missing or not settled */
  async compare(databaseUrl: string): Promise<string[]> {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    try {
      const { rows } = await client.query<{ id: string; settled: boolean }>(
        `select c.id, c.ended_at is not null and h.state <> 'pending' as settled from call c join hold h on h.id = c.id
         where c.id = any($1)`,
        [[...this.answered]],
      );
      const states = new Map(rows.map(({ id, settled }) => [id, settled]));
      return [...this.answered].flatMap((id) => {
        if (states.get(id) === true) return [];
        return [`call ${id} is ${states.has(id) ? "not settled" : "missing"}`];
      });
    } finally {
      await client.end();
    }
  }

  async #work(): Promise<void> {
    let caller: ScriptedCaller | null = null;
    while (!this.#stopping) {
      try {
        caller ??= await ScriptedCaller.signUp(this.#product);
        this.answered.add(await inTime(caller.call(TONE_LINE)));
        await pause(TALK_MS);
        await inTime(caller.hangUp());
      } catch {
        this.failed += 1;
        await pause(AFTER_A_FAILURE_MS);
      }
      await caller?.leave();
    }
  }
}

/** A killed exchange answers nothing. @throws Error after the limit */
async function inTime<Value>(work: Promise<Value>): Promise<Value> {
  const answer = await settleWithin(
    work.then((value) => ({ value })),
    ANSWER_WITHIN_MS,
    null,
  );
  if (answer === null) throw new Error("There was no answer in time.");
  return answer.value;
}
