import { setTimeout as pause } from "node:timers/promises";
import type { Product } from "@farline/e2e/support/product.ts";
import { ScriptedCaller } from "./scripted-caller.ts";
import { PLAIN_ECHO_LINE, TONE_LINE } from "@farline/e2e/support/phone-network.ts";
import { readRows } from "./database.ts";

const AFTER_A_FAILURE_MS = 500;
/** Enough for calls all the time at one every few seconds. */
const DOLLARS = 50;
/** The two processes measure by themselves. */
const MEASURED_WITHIN_MS = 1_000;

interface CallPattern {
  readonly callers: number;
  /** How many of them send audio, which the called line sends back. The others hear the line's tone. */
  readonly speaking: number;
  readonly talkMs: number;
  /** From the beginning of one call to that of the next. */
  readonly everyMs: number;
}

interface RecordedCall {
  readonly id: string;
  readonly durationMs: number;
  readonly settled: boolean;
}

/** Customers who call one call after the other, with real audio through the exchange. It can be started again. */
export class CallLoad {
  readonly #product: Pick<Product, "url">;
  readonly #pattern: CallPattern;
  readonly #callers: (ScriptedCaller | null)[];
  #workers: Promise<void>[] = [];
  #over = new AbortController();
  /** Calls that were answered. */
  readonly answered = new Set<string>();
  /** When callers have hung up, in milliseconds, by the call's id. */
  readonly hungUpAt = new Map<string, number>();
  /** How long the calls of callers who have hung up lasted at most: from the request, in milliseconds. */
  readonly #lastedMs = new Map<string, number>();
  /** What each request for a call took until its answer. */
  readonly initiateMs: number[] = [];
  /** Calls whose caller has heard its own voice back. */
  echoed = 0;
  /** How many calls have failed for each reason. */
  readonly failures = new Map<string, number>();

  constructor(product: Pick<Product, "url">, pattern: CallPattern) {
    this.#product = product;
    this.#pattern = pattern;
    this.#callers = Array.from({ length: pattern.callers }, () => null);
  }

  /** Makes all customers, which costs more than their calls. Otherwise each is made before the first call. */
  async signUp(): Promise<void> {
    for (let n = 0; n < this.#pattern.callers; n += 1) await this.#callerOf(n);
  }

  /** The callers begin one after the other. */
  start(): void {
    this.#over = new AbortController();
    this.#workers = this.#callers.map((_, n) => this.#work(n));
  }

  /** Callers hang up; their pages stay open. */
  async stop(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#workers);
  }

  /** Closes all pages. */
  async leave(): Promise<void> {
    for (const caller of this.#callers) await caller?.leave();
  }

  get failed(): number {
    return [...this.failures.values()].reduce((sum, count) => sum + count, 0);
  }

  /** @returns a sentence for each answered call that is missing, not settled or longer than it was */
  async compare(databaseUrl: string): Promise<string[]> {
    const rows = await readRows<RecordedCall>(
      databaseUrl,
      `select c.id, c.duration_ms as "durationMs", c.ended_at is not null and h.state <> 'pending' as settled
       from call c join hold h on h.id = c.id where c.id = any($1)`,
      [[...this.answered]],
    );
    const recorded = new Map(rows.map((row) => [row.id, row]));
    return [...this.answered].flatMap((id) => this.#differencesOf(id, recorded.get(id)));
  }

  #differencesOf(id: string, recorded: RecordedCall | undefined): string[] {
    if (recorded === undefined) return [`call ${id} is missing`];
    if (!recorded.settled) return [`call ${id} is not settled`];
    const lastedMs = this.#lastedMs.get(id) ?? Infinity;
    const { durationMs } = recorded;
    if (durationMs >= 0 && durationMs <= lastedMs + MEASURED_WITHIN_MS) return [];
    return [`call ${id} lasted at most ${lastedMs} ms, and its record says ${durationMs} ms`];
  }

  async #work(n: number): Promise<void> {
    const { callers, everyMs } = this.#pattern;
    await this.#pause((n * everyMs) / callers);
    while (!this.#over.signal.aborted) {
      const next = this.#pause(everyMs);
      try {
        await this.#oneCall(n);
      } catch (error) {
        const reason = String((error as Error).message);
        this.failures.set(reason, (this.failures.get(reason) ?? 0) + 1);
        await this.#callers[n]?.leave();
        await this.#pause(AFTER_A_FAILURE_MS);
      }
      await next;
    }
  }

  async #oneCall(n: number): Promise<void> {
    const caller = await this.#callerOf(n);
    const silent = this.#isSilent(n);
    const requestedAt = performance.now();
    const { id, initiateMs } = await caller.call(silent ? TONE_LINE : PLAIN_ECHO_LINE);
    this.answered.add(id);
    this.initiateMs.push(initiateMs);
    await this.#pause(this.#pattern.talkMs);
    if (caller.cut) throw new Error("A call was cut.");
    const tooShort = this.#over.signal.aborted;
    if (!caller.hears && !tooShort) throw new Error("A caller heard nothing.");
    if (!silent && caller.hears) this.echoed += 1;
    this.hungUpAt.set(id, Date.now());
    await caller.hangUp();
    this.#lastedMs.set(id, Math.round(performance.now() - requestedAt));
  }

  async #callerOf(n: number): Promise<ScriptedCaller> {
    return (this.#callers[n] ??= await ScriptedCaller.signUp(this.#product, { dollars: DOLLARS, silent: this.#isSilent(n) }));
  }

  #isSilent(n: number): boolean {
    return n >= this.#pattern.speaking;
  }

  /** Until the time is over or the load stops. */
  async #pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#over.signal }).catch(() => {});
  }
}
