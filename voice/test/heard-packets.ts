import { PATIENCE_MS } from "@farline/domain/test/patience.ts";

/** The packets that one end has received. */
export class HeardPackets<Packet> {
  readonly heard: Packet[] = [];
  readonly #waiting = new Set<() => void>();

  add(packet: Packet): void {
    this.heard.push(packet);
    for (const check of [...this.#waiting]) check();
  }

  clear(): void {
    this.heard.length = 0;
  }

  /** Resolves when at least `count` packets of a kind were received since the last `clear`. */
  untilHeard(count: number, which: (packet: Packet) => boolean = () => true): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(check);
        reject(new Error(`${this.heard.filter(which).length} packets were received instead of ${count}.`));
      }, PATIENCE_MS);
      const check = (): void => {
        if (this.heard.filter(which).length < count) return;
        clearTimeout(timer);
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
  }
}
