import type { Logger } from "pino";
import { MediaError } from "../media-plane.ts";
import { Engine, type EngineSettings } from "./engine.ts";
import { NgCall } from "./ng-call.ts";

/** A call that an instance may have opened in spite of its silence is deleted after this long. */
const DELETE_LATER_MS = 5_000;

/** The instances of rtpengine, and which of them takes a new call. */
export class EnginePool {
  readonly engines: readonly Engine[];
  readonly #log: Logger;

  private constructor(engines: readonly Engine[], log: Logger) {
    this.engines = engines;
    this.#log = log;
  }

  static async start(settings: readonly EngineSettings[], log: Logger): Promise<EnginePool> {
    return new EnginePool(await Promise.all(settings.map((one) => Engine.start(one, log))), log);
  }

  /**
   * Opens a call at the least burdened instance; one that is full or silent leaves it to the next one, which gets another call-id.
   * @throws MediaError `unavailable` when none answers, `no_capacity` when those that do take no more, or what the call itself is refused for.
   */
  async open<Opened>(begin: (call: NgCall) => Promise<Opened>): Promise<Opened> {
    let refusal = new MediaError("unavailable", "No rtpengine answers.");
    for (const engine of this.#inOrder()) {
      const call = new NgCall(engine);
      try {
        return await begin(call);
      } catch (error) {
        if (!(error instanceof MediaError) || (error.code !== "no_capacity" && error.code !== "timeout")) {
          void call.delete();
          throw error;
        }
        this.#log.warn({ err: error, rtpengine: engine.name }, "rtpengine takes no call");
        if (error.code === "no_capacity") refusal = error;
        // It may be slow, not dead, and have opened the call.
        setTimeout(() => void call.delete(), DELETE_LATER_MS).unref();
      }
    }
    throw refusal;
  }

  close(): void {
    for (const engine of this.engines) engine.close();
  }

  /** Those that answer, the least burdened first; those that refused a call just now last. */
  #inOrder(): Engine[] {
    const rank = { up: 0, full: 1, down: 2 };
    return this.engines
      .filter(({ state }) => state !== "down")
      .toSorted((one, other) => rank[one.state] - rank[other.state] || one.burden - other.burden);
  }
}
