const KEEP_MS = 60_000;
const MAX_REMEMBERED = 50_000;

interface Command {
  readonly controlId: string;
  readonly action: string;
  readonly commandId: string;
}

/** Recent command ids: a command repeated within 60 s is answered and does nothing. */
export class RecentCommands {
  readonly #seen = new Map<string, number>();

  /** True the first time within 60 s. */
  isNew(command: Command): boolean {
    const now = performance.now();
    for (const [key, at] of this.#seen) {
      if (now - at < KEEP_MS && this.#seen.size < MAX_REMEMBERED) break;
      this.#seen.delete(key);
    }
    const key = keyOf(command);
    if (this.#seen.has(key)) return false;
    this.#seen.set(key, now);
    return true;
  }

  /** The command failed: it may be tried again. */
  forget(command: Command): void {
    this.#seen.delete(keyOf(command));
  }
}

/** Per action: an id that one kind of command used up must not swallow another kind. */
function keyOf({ controlId, action, commandId }: Command): string {
  return JSON.stringify([controlId, action, commandId]);
}
