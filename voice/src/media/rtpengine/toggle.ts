/**
 * A pair of rtpengine's commands, such as `block media` and `unblock media`. rtpengine may have carried out a command whose response was
 * lost, so one that is not confirmed counts as unknown, and is given again.
 */
export class Toggle {
  /** The state to reach. */
  on = false;
  #confirmed: boolean | null = false;
  #last: Promise<void> = Promise.resolve();
  readonly #give: (on: boolean) => Promise<unknown>;

  constructor(give: (on: boolean) => Promise<unknown>) {
    this.#give = give;
  }

  /** Gives the command, unless it is confirmed. Calls take effect one after another. @throws what `give` does; then the next call gives it again */
  apply(): Promise<void> {
    const applied = this.#last.then(() => this.#applyNow());
    this.#last = applied.catch(() => undefined);
    return applied;
  }

  async #applyNow(): Promise<void> {
    const { on } = this;
    if (this.#confirmed === on) return;
    this.#confirmed = null;
    await this.#give(on);
    this.#confirmed = on;
  }
}
