import { randomInt } from "node:crypto";
import type { CallCodec } from "../../call-codec.ts";
import type { Endpoint } from "../rtp/source-latch.ts";
import { trunkAnswer, trunkOffer, type TrunkSession } from "./trunk-sdp.ts";

/** Our SDP in one session with the far end. Its version increases with each change (RFC 3264 §8). */
export class LocalDescription {
  readonly #sessionId = randomInt(1, 2 ** 31);
  #version = 1;
  #lastAnswer = "";

  /** @param local our announced RTP address */
  offer(local: Endpoint, codec?: CallCodec): string {
    return trunkOffer({ ...local, sessionId: this.#sessionId, version: 1 }, codec);
  }

  answer(local: Endpoint, far: TrunkSession): string {
    const write = (): string => trunkAnswer({ ...local, sessionId: this.#sessionId, version: this.#version }, far);
    if (write() !== this.#lastAnswer) this.#version += 1;
    this.#lastAnswer = write();
    return this.#lastAnswer;
  }

  /** Empty before the first. */
  get lastAnswer(): string {
    return this.#lastAnswer;
  }
}
