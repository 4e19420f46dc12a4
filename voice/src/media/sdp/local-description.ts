import { randomInt } from "node:crypto";
import type { CallCodec } from "../../call-codec.ts";
import type { Endpoint } from "../rtp/source-latch.ts";
import { trunkAnswer, trunkOffer, type TrunkSession } from "./trunk-sdp.ts";

/** Our descriptions in one session with the far end. The version rises with each changed one (RFC 3264 §8). */
export class LocalDescription {
  readonly #sessionId = randomInt(1, 2 ** 31);
  #version = 1;
  #lastAnswer = "";

  /** @param own where we listen, as announced */
  offer(own: Endpoint, codec?: CallCodec): string {
    return trunkOffer({ ...own, sessionId: this.#sessionId, version: 1 }, codec);
  }

  answer(own: Endpoint, far: TrunkSession): string {
    const write = (): string => trunkAnswer({ ...own, sessionId: this.#sessionId, version: this.#version }, far);
    if (write() !== this.#lastAnswer) this.#version += 1;
    this.#lastAnswer = write();
    return this.#lastAnswer;
  }

  /** Empty before the first one. */
  get lastAnswer(): string {
    return this.#lastAnswer;
  }
}
