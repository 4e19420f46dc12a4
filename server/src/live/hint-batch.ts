import type { LiveHint } from "@farline/contract/events.ts";

/** A hint and the customer it is for. */
export type AddressedHint = readonly [customerId: string, hint: LiveHint];

/** How long hints are collected before they are sent together. */
const GATHER_MS = 50;
/** A longer backlog means that the database is stuck. Further hints are dropped, because pages also refetch on their own. */
const MAX_QUEUED = 10_000;

/**
 * Collects hints briefly and sends each once, so that many changes in a row cost the database one statement, outside
 * their transactions.
 */
export class HintBatch {
  readonly #send: (hints: readonly AddressedHint[]) => Promise<void>;
  readonly #onFailure: (error: unknown) => void;
  #waiting = new Map<string, AddressedHint>();
  #timer: NodeJS.Timeout | null = null;
  #sending: Promise<void> = Promise.resolve();

  constructor(ctx: { send: (hints: readonly AddressedHint[]) => Promise<void>; onFailure: (error: unknown) => void }) {
    this.#send = ctx.send;
    this.#onFailure = ctx.onFailure;
  }

  add(customerId: string, hint: LiveHint): void {
    const key = `${customerId} ${JSON.stringify(hint)}`;
    if (this.#waiting.has(key) || this.#waiting.size >= MAX_QUEUED) return;
    this.#waiting.set(key, [customerId, hint]);
    this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS);
  }

  /** Sends the remaining hints. */
  async close(): Promise<void> {
    this.#flush();
    await this.#sending;
  }

  /** One at a time: when the database is slow, hints queue up instead of connections. */
  #flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#sending = this.#sendAfter(this.#sending);
  }

  async #sendAfter(earlier: Promise<void>): Promise<void> {
    await earlier;
    const hints = [...this.#waiting.values()];
    this.#waiting = new Map();
    if (hints.length > 0) await this.#send(hints).catch(this.#onFailure);
  }
}
