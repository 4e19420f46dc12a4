import type { Logger } from "pino";

const PING_EVERY_MS = 30_000;
const DOWN_AFTER = 3;
const UP_AFTER = 2;

/** A trunk whose carrier is asked for signs of life. */
export interface PingedTrunk {
  readonly name: string;
  /** Whether the carrier answered anything in time. */
  readonly ping: () => Promise<boolean>;
}

interface Watch {
  down: boolean;
  /** Answers in a row that speak against `down`. */
  against: number;
  timer: NodeJS.Timeout | null;
  stopped: boolean;
}

/** Which trunks answer OPTIONS. Knows only those that it is told to watch: the others are never down. */
export class TrunkHealth {
  readonly #watches = new Map<string, Watch>();
  readonly #log: Logger;
  readonly #pingEveryMs: number;

  constructor(log: Logger, pingEveryMs = PING_EVERY_MS) {
    this.#log = log;
    this.#pingEveryMs = pingEveryMs;
  }

  /** Three pings without an answer, and not yet two with one. */
  isDown(trunkName: string): boolean {
    return this.#watches.get(trunkName)?.down ?? false;
  }

  /** Begins with a ping, in place of an earlier watch of the name. */
  watch(trunk: PingedTrunk): void {
    this.unwatch(trunk.name);
    const watch: Watch = { down: false, against: 0, timer: null, stopped: false };
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
    watch.against = alive === watch.down ? watch.against + 1 : 0;
    if (watch.against >= (watch.down ? UP_AFTER : DOWN_AFTER)) {
      watch.down = !watch.down;
      watch.against = 0;
      this.#log.warn({ trunk: trunk.name }, watch.down ? "trunk does not answer OPTIONS" : "trunk answers OPTIONS again");
    }
    watch.timer = setTimeout(() => void this.#ping(trunk, watch), this.#pingEveryMs);
  }
}
