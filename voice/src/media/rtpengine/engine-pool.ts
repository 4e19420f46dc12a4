import type { Logger } from "pino";
import { MediaError } from "../media-plane.ts";
import { Engine, type EngineSettings } from "./engine.ts";
import { NgCall } from "./ng-call.ts";

/** A call that an unresponsive instance may have opened is deleted after this long. */
const DELETE_LATER_MS = 5_000;

/** Distributes calls among rtpengine instances. */
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
   * Opens a call on the instance with the lowest load. If it is full or does not respond, tries the next with a new call-id.
   * @throws MediaError `unavailable` if none responds, `no_capacity` if all others are full, or the instance's refusal of the call
   */
  async open<Opened>(begin: (call: NgCall) => Promise<Opened>): Promise<Opened> {
    let refusal = new MediaError("unavailable", "No rtpengine instance responds.");
    for (const engine of this.#byLoad()) {
      const call = new NgCall(engine);
      try {
        return await begin(call);
      } catch (error) {
        if (!(error instanceof MediaError) || (error.code !== "no_capacity" && error.code !== "timeout")) {
          void call.delete();
          throw error;
        }
        this.#log.warn({ err: error, rtpengine: engine.name }, "rtpengine refused a call");
        if (error.code === "no_capacity") refusal = error;
        // A slow instance may have opened the call.
        setTimeout(() => void call.delete(), DELETE_LATER_MS).unref();
      }
    }
    throw refusal;
  }

  close(): void {
    for (const engine of this.engines) engine.close();
  }

  /** Responding instances by load; those that recently refused a call last. */
  #byLoad(): Engine[] {
    const rank = { up: 0, full: 1, down: 2 };
    return this.engines
      .filter(({ state }) => state !== "down")
      .toSorted((one, other) => rank[one.state] - rank[other.state] || one.load - other.load);
  }
}
