import { randomUUID } from "node:crypto";
import { MediaError } from "../media-plane.ts";
import type { Endpoint } from "../rtp/source-latch.ts";
import type { Engine } from "./engine.ts";
import type { BencodedDictionary } from "./bencode.ts";
import type { NgResponse } from "./ng-client.ts";
import { describeBrowser, describeForBrowser, describePlaceholder, endpointIn, type FarDescription } from "./ng-sdp.ts";

export const FAR_TAG = "far";
/**
 * Only the described address is heard, from the first packet on: rtpengine's own learning would believe any source for three seconds
 * after each description.
 */
const FLAGS = ["trust-address", "generate-RTCP", "strict-source", "endpoint-learning-off"];
const PROCESSING = [...FLAGS, "inject-DTMF"];
const REPLACE = ["origin", "session-connection"];
/** Names of rtpengine's interfaces (`--interface`). */
const TO_CARRIER = ["pub", "carrier"];
const TO_BROWSER = ["carrier", "pub"];
const AS_RTP = { ICE: "remove", DTLS: "off", SDES: ["off"], "transport-protocol": "RTP/AVP", "rtcp-mux": ["demux"] };
const ALONE = { ICE: "remove", direction: ["carrier", "carrier"] };
const AS_WEBRTC = { ICE: "force", SDES: ["off"], "transport-protocol": "UDP/TLS/RTP/SAVPF", "rtcp-mux": ["require"] };

/** One call at an instance of rtpengine: the browser's transports and the far end, each under a tag of its own. */
export class NgCall {
  readonly engine: Engine;
  readonly id = randomUUID();
  #tag = "browser-1";
  #tags = 1;
  #browserSdp = "";
  #alone = false;
  #far: FarDescription = describePlaceholder();
  #processes = false;
  #rtp: Endpoint | null = null;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  /** Of the transport in use; those of before it count in statistics. */
  get browserTag(): string {
    return this.#tag;
  }

  /** Where it listens for the far end. */
  get rtp(): Endpoint {
    if (this.#rtp === null) throw new MediaError("internal", "The call is not open.");
    return this.#rtp;
  }

  /** Any command about this call. @throws MediaError like `Engine.ask` */
  ask(command: string, body: BencodedDictionary = {}): Promise<NgResponse> {
    return this.engine.ask(command, { "call-id": this.id, ...body });
  }

  /** The browser's offer, the first one or an ICE restart. @returns our answer. @throws MediaError */
  async answerBrowser(offerSdp: string): Promise<string> {
    describeBrowser(offerSdp, this.#far.eventPayload); // throws before anything changes
    this.#browserSdp = offerSdp;
    return describeForBrowser(await this.#negotiate());
  }

  /** A call without a browser. @throws MediaError */
  async openWithoutBrowser(): Promise<void> {
    this.#alone = true;
    await this.#negotiate();
  }

  /** @throws MediaError; then the far end stays as it was */
  async setFar(far: FarDescription): Promise<void> {
    const before = this.#far;
    this.#far = far;
    try {
      await this.#negotiate();
    } catch (error) {
      this.#far = before;
      throw error;
    }
  }

  /** The browser's own sound comes back to it, under another source number (SSRC), which rtpengine gives only what it processes itself. */
  async echo(): Promise<void> {
    this.#processes = true;
    await this.setFar(describePlaceholder(this.rtp));
  }

  /** The same session again, as after an offer that came to nothing. */
  async renew(): Promise<void> {
    await this.#negotiate();
  }

  /** Digits can be sent from now on. Not before they are wanted, because rtpengine then holds every packet back until its time. */
  async allowDigits(): Promise<void> {
    this.#processes = true;
    await this.#negotiate();
  }

  get allowsDigits(): boolean {
    return this.#processes;
  }

  /** Offers the browser another transport; the far end notices nothing. */
  async offerBrowser(): Promise<{ tag: string; offerSdp: string }> {
    this.#tags += 1;
    const tag = `browser-${this.#tags}`;
    const response = await this.#describe("offer", {
      ...{ "from-tag": FAR_TAG, "to-tag": tag, sdp: this.#far.sdp },
      ...{ ...AS_WEBRTC, direction: TO_BROWSER },
    });
    // As DTLS server rtpengine fails with Chromium's large ClientHello, so it offers to be the client only.
    return { tag, offerSdp: describeForBrowser(response).replace(/^a=setup:\w+/m, "a=setup:active") };
  }

  /** The browser's answer to that offer. @throws MediaError `bad_sdp`; then nothing has changed */
  async takeAnswer(tag: string, answerSdp: string): Promise<void> {
    await this.#describe("answer", {
      ...{ "from-tag": FAR_TAG, "to-tag": tag, sdp: describeBrowser(answerSdp, this.#far.eventPayload) },
      ...{ ...AS_RTP, direction: TO_CARRIER },
    });
    this.#tag = tag;
    this.#browserSdp = answerSdp;
  }

  /** Never rejects: what cannot be deleted ends by rtpengine's own time-out. */
  async delete(): Promise<void> {
    await this.ask("delete", { "delete-delay": 0 }).catch(() => undefined);
  }

  async #negotiate(): Promise<string> {
    const tags = { "from-tag": this.#tag, "to-tag": FAR_TAG };
    const offer = await this.#describe("offer", {
      // Nobody has the far end's tag before it was described to somebody.
      ...(this.#rtp === null ? { "from-tag": this.#tag } : tags),
      ...(this.#alone ? ALONE : { ...AS_RTP, direction: TO_CARRIER }),
      sdp: this.#alone ? describePlaceholder().sdp : describeBrowser(this.#browserSdp, this.#far.eventPayload),
      ...(this.#far.needsAlaw ? { codec: { transcode: ["PCMA"] } } : {}),
    });
    this.#rtp = endpointIn(offer);
    const towardsBrowser = this.#alone ? ALONE : { ...AS_WEBRTC, DTLS: "active", direction: TO_BROWSER };
    return await this.#describe("answer", { ...tags, ...towardsBrowser, sdp: this.#far.sdp });
  }

  async #describe(command: "offer" | "answer", body: BencodedDictionary): Promise<string> {
    const flags = this.#processes ? PROCESSING : FLAGS;
    const { sdp } = await this.ask(command, { ...body, flags, replace: REPLACE });
    if (typeof sdp !== "string") throw new MediaError("internal", "rtpengine's answer has no description.");
    return sdp;
  }
}
