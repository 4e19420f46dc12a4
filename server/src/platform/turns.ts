import { AppError } from "./http/app-error.ts";

/** Most that wait for one key; one more is refused. */
const MOST_WAITING = 100;

interface Turn {
  /** Never rejects. */
  last: Promise<unknown>;
  count: number;
}

/**
 * Runs work of the same key one after the other in this process, and of different keys at the same time. For work that would wait for the
 * same row of the database: here it waits without a connection.
 */
export class Turns {
  readonly #turns = new Map<string, Turn>();

  /** @throws AppError unavailable when too much of the key waits, and what the work throws */
  async take<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turns.get(key) ?? { last: Promise.resolve(), count: 0 };
    if (turn.count >= MOST_WAITING) throw new AppError("unavailable", "Too much waits for this. Try again in a moment.");
    this.#turns.set(key, turn);
    turn.count += 1;
    const mine = turn.last.then(work);
    turn.last = mine.catch(() => undefined);
    try {
      return await mine;
    } finally {
      turn.count -= 1;
      if (turn.count === 0) this.#turns.delete(key);
    }
  }

  /** Keys whose work is under way. */
  get size(): number {
    return this.#turns.size;
  }
}
