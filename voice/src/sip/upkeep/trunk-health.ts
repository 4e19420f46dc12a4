import type { Logger } from "pino";

const PING_EVERY_MS = 30_000;
const DOWN_AFTER = 3;
const UP_AFTER = 2;

interface PingedTrunk {
  readonly name: string;
  /** Whether the carrier responded in time. */
  readonly ping: () => Promise<boolean>;
}

interface Watch {
  down: boolean;
  /** Consecutive results that contradict `down`. */
  streak: number;
  timer: NodeJS.Timeout | null;
  stopped: boolean;
}

/** Pings trunks with OPTIONS. A trunk that is not watched is never down. */
export class TrunkHealth {
  readonly #watches = new Map<string, Watch>();
  readonly #log: Logger;
  readonly #pingEveryMs: number;

  constructor(log: Logger, pingEveryMs = PING_EVERY_MS) {
    this.#log = log;
    this.#pingEveryMs = pingEveryMs;
  }

  /** True after three failed pings in a row, until two in a row succeed. */
  isDown(trunkName: string): boolean {
    return this.#watches.get(trunkName)?.down ?? false;
  }

  /** Pings at once. Replaces an earlier watch of the same name. */
  watch(trunk: PingedTrunk): void {
    this.unwatch(trunk.name);
    const watch: Watch = { down: false, streak: 0, timer: null, stopped: false };
    this.#watches.set(trunk.name, watch);
    void this.#ping(trunk, watch);
  }

  unwatch(trunkName: string): void {
    const watch = this.#watches.get(trunkName);
    if (watch === undefined) return;
    watch.stopped = true;
    if (watch.timer !== null) clearTimeout(watch.timer);
    this.#watches.delete(trunkName);
  }

  close(): void {
    for (const name of this.#watches.keys()) this.unwatch(name);
  }

  async #ping(trunk: PingedTrunk, watch: Watch): Promise<void> {
    const alive = await trunk.ping();
    if (watch.stopped) return;
    watch.streak = alive === watch.down ? watch.streak + 1 : 0;
    if (watch.streak >= (watch.down ? UP_AFTER : DOWN_AFTER)) {
      watch.down = !watch.down;
      watch.streak = 0;
      this.#log.warn({ trunk: trunk.name }, watch.down ? "trunk fails OPTIONS" : "trunk responds to OPTIONS again");
    }
    watch.timer = setTimeout(() => void this.#ping(trunk, watch), this.#pingEveryMs);
  }
}
