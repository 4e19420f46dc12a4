const KEEP_MS = 60_000;
const MAX_REMEMBERED = 50_000;

interface Command {
  readonly controlId: string;
  readonly action: string;
  readonly commandId: string;
}

/** Recent command ids: a command repeated within 60 s succeeds without effect. */
export class RecentCommands {
  readonly #seen = new Map<string, number>();

  /** Records the command; false if it was recorded within the last 60 s. */
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

  /** Allows a failed command to be repeated. */
  forget(command: Command): void {
    this.#seen.delete(keyOf(command));
  }
}

/** Ids are unique per action. */
function keyOf({ controlId, action, commandId }: Command): string {
  return JSON.stringify([controlId, action, commandId]);
}
