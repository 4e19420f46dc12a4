import { randomInt } from "node:crypto";
import type { CallCodec } from "../../call-codec.ts";
import type { Endpoint } from "../rtp/source-latch.ts";
import { trunkAnswer, trunkOffer, type TrunkSession } from "./trunk-sdp.ts";

/** Our SDP in one session with the far end. */
export class LocalDescription {
  readonly #sessionId = randomInt(1, 2 ** 31);
  #lastAnswer = "";

  /** @param local our announced RTP address */
  offer(local: Endpoint, codec?: CallCodec): string {
    return trunkOffer({ ...local, sessionId: this.#sessionId }, codec);
  }

  answer(local: Endpoint, far: TrunkSession): string {
    this.#lastAnswer = trunkAnswer({ ...local, sessionId: this.#sessionId }, far);
    return this.#lastAnswer;
  }

  /** Empty before the first. */
  get lastAnswer(): string {
    return this.#lastAnswer;
  }
}
