import { setTimeout as pause } from "node:timers/promises";

const PATHS = ["/", "/rates", "/api/config", "/api/rates/countries", "/api/user"];
/** Without a session. */
const EXPECTED = new Set(["200", "401"]);

interface PagePattern {
  readonly clients: number;
  /** From one request to the next, for each client. */
  readonly everyMs: number;
}

/** Visitors who read public pages and the data of pages. It can be started again. */
export class PageLoad {
  readonly #url: string;
  readonly #pattern: PagePattern;
  #clients: Promise<void>[] = [];
  #over = new AbortController();
  /** How many requests had each outcome: a status, or why there was none. */
  readonly outcomes = new Map<string, number>();

  constructor(url: string, pattern: PagePattern) {
    this.#url = url;
    this.#pattern = pattern;
  }

  start(): void {
    this.#over = new AbortController();
    this.#clients = Array.from({ length: this.#pattern.clients }, (_, client) => this.#work(client));
  }

  async stop(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#clients);
  }

  get requests(): number {
    return [...this.outcomes.values()].reduce((sum, count) => sum + count, 0);
  }

  /** How many requests had another outcome than they should. */
  get failed(): number {
    return [...this.outcomes].reduce((sum, [outcome, count]) => (EXPECTED.has(outcome) ? sum : sum + count), 0);
  }

  async #work(client: number): Promise<void> {
    const { signal } = this.#over;
    for (let n = client; !signal.aborted; n++) {
      const next = pause(this.#pattern.everyMs, undefined, { signal }).catch(() => {});
      const outcome = await outcomeOf(`${this.#url}${PATHS[n % PATHS.length]}`);
      this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
      await next;
    }
  }
}

/** The status of an answer, or why there was none. */
export async function outcomeOf(url: string): Promise<string> {
  try {
    const response = await fetch(url);
    await response.arrayBuffer();
    return String(response.status);
  } catch (error) {
    const { cause, message } = error as { cause?: { code?: string }; message: string };
    return `failed: ${cause?.code ?? message}`;
  }
}
