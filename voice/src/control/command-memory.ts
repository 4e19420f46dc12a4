const keepMs = 60_000;
const maxRemembered = 50_000;

/** Command ids seen lately: a repeated command within 60 s is answered, and does nothing. */
export class CommandMemory {
  readonly #seen = new Map<string, number>();

  /** True the first time within 60 s. */
  isNew(controlId: string, commandId: string): boolean {
    const now = performance.now();
    for (const [key, at] of this.#seen) {
      if (now - at < keepMs && this.#seen.size < maxRemembered) break;
      this.#seen.delete(key);
    }
    const key = `${controlId} ${commandId}`;
    if (this.#seen.has(key)) return false;
    this.#seen.set(key, now);
    return true;
  }

  /** The command failed: it may be tried again. */
  forget(controlId: string, commandId: string): void {
    this.#seen.delete(`${controlId} ${commandId}`);
  }
}
