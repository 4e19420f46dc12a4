import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { MediaError } from "../media-plane.ts";
import { type Endpoint, isSame } from "../rtp/source-latch.ts";
import type { Engine } from "./engine.ts";
import type { BencodedDictionary } from "./bencode.ts";
import type { NgResponse } from "./ng-client.ts";
import {
  describeBrowser,
  describeForBrowser,
  describePlaceholder,
  DISCARD,
  endpointIn,
  FAR_TAG,
  type FarDescription,
} from "./ng-sdp.ts";
import { NOTHING, type QueryResult, readQuery } from "./ng-stats.ts";

/**
 * Accept audio only from the address and port in the SDP. rtpengine's own endpoint learning would accept any source for three seconds
 * after each description.
 */
const STRICT = ["trust-address", "generate-RTCP", "strict-source"];
const FLAGS = [...STRICT, "endpoint-learning-off"];
/** Takes the source of the first packet, whatever it is. */
const LEARNING = [...STRICT, "endpoint-learning-immediate"];
const PROCESSING = ["inject-DTMF"];
/** Each try sees one source, so that a stranger's packets do not hide the far end's. */
const LEARNING_TRIES = 10;
/** Longer than the 20 ms between packets. */
const LEARNING_TRY_MS = 30;
const REPLACE = ["origin", "session-connection"];
/** Names of rtpengine's interfaces (`--interface`). */
const TO_CARRIER = ["pub", "carrier"];
const TO_BROWSER = ["carrier", "pub"];
const AS_RTP = { ICE: "remove", DTLS: "off", SDES: ["off"], "transport-protocol": "RTP/AVP", "rtcp-mux": ["demux"] };
const NO_BROWSER = { ICE: "remove", direction: ["carrier", "carrier"] };
const AS_WEBRTC = { ICE: "force", SDES: ["off"], "transport-protocol": "UDP/TLS/RTP/SAVPF", "rtcp-mux": ["require"] };

/** One call on an rtpengine instance. Each browser transport and the far end has its own tag. */
export class NgCall {
  readonly engine: Engine;
  readonly id = randomUUID();
  #tag = "browser-1";
  #tags = 1;
  #browserSdp = "";
  #noBrowser = false;
  #far: FarDescription = describePlaceholder();
  #processes = false;
  #unheard = NOTHING;
  #rtp: Endpoint | null = null;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  /** Tag of the current transport. Earlier ones still count in statistics. */
  get browserTag(): string {
    return this.#tag;
  }

  /** rtpengine's RTP address for the far end. */
  get rtp(): Endpoint {
    if (this.#rtp === null) throw new MediaError("internal", "The call is not open.");
    return this.#rtp;
  }

  /** Sends a command for this call. @throws MediaError like `Engine.request` */
  request(command: string, body: BencodedDictionary = {}): Promise<NgResponse> {
    return this.engine.request(command, { "call-id": this.id, ...body });
  }

  /** Answers the browser's offer, the first one or an ICE restart. @throws MediaError */
  async answerBrowser(offerSdp: string): Promise<string> {
    describeBrowser(offerSdp, this.#far.eventPayload); // throws for a bad offer before anything changes
    this.#browserSdp = offerSdp;
    return describeForBrowser(await this.#negotiate());
  }

  /** Opens a call without a browser. @throws MediaError */
  async openWithoutBrowser(): Promise<void> {
    this.#noBrowser = true;
    await this.#negotiate();
  }

  /** @throws MediaError; then the far end stays unchanged */
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

  /** Plays the browser's audio back to it. It needs another SSRC, which rtpengine assigns only to audio that it processes. */
  async echo(): Promise<void> {
    this.#processes = true;
    await this.setFar(describePlaceholder(this.rtp));
  }

  /** Negotiates the same session again, after an unanswered offer. */
  async renew(): Promise<void> {
    await this.#negotiate();
  }

  /** Enables digits. Done only when needed, because rtpengine then buffers every packet. */
  async allowDigits(): Promise<void> {
    this.#processes = true;
    await this.#negotiate();
  }

  get allowsDigits(): boolean {
    return this.#processes;
  }

  /** Offers the browser another transport. Does not affect the far end. */
  async offerBrowser(): Promise<{ tag: string; offerSdp: string }> {
    this.#tags += 1;
    const tag = `browser-${this.#tags}`;
    const response = await this.#describe("offer", {
      ...{ "from-tag": FAR_TAG, "to-tag": tag, sdp: this.#far.sdp },
      // With full ICE, rtpengine never checks back after a browser's check that arrives before the answer.
      ...{ ...AS_WEBRTC, "ICE-lite": "forward", direction: TO_BROWSER },
    });
    // As DTLS server, rtpengine fails with Chromium's large ClientHello, so it must be the client.
    return { tag, offerSdp: describeForBrowser(response).replace(/^a=setup:\w+/m, "a=setup:active") };
  }

  /** Takes the browser's answer to that offer. @throws MediaError `bad_sdp`; then nothing changes */
  async acceptAnswer(tag: string, answerSdp: string): Promise<void> {
    await this.#describe("answer", {
      ...{ "from-tag": FAR_TAG, "to-tag": tag, sdp: describeBrowser(answerSdp, this.#far.eventPayload) },
      ...{ ...AS_RTP, direction: TO_CARRIER },
    });
    this.#tag = tag;
    this.#browserSdp = answerSdp;
  }

  /** @throws MediaError */
  async query(): Promise<QueryResult> {
    return readQuery(await this.request("query"), this.#unheard);
  }

  /**
   * Finds a source of the far end's packets. rtpengine learns from any source, so nothing passes in either direction meanwhile
   * (0.4 s at most), and what arrives does not count.
   * @param describe the far end at an address
   * @param allowed addresses
   * @throws MediaError if rtpengine does not answer; media is unblocked again as far as it can be
   */
  async findSource(describe: (rtp: Endpoint) => FarDescription, allowed: ReadonlySet<string>): Promise<Endpoint | null> {
    const { far: before } = await this.query();
    await this.request("block media");
    let found: Endpoint | null = null;
    try {
      for (let tries = 0; tries < LEARNING_TRIES && found === null; tries += 1) {
        // rtpengine takes the flag only with another address.
        const nowhere = { ...DISCARD, port: DISCARD.port + 2 * (1 + tries) };
        await this.#negotiate(describe(nowhere), LEARNING);
        await pause(LEARNING_TRY_MS);
        const { endpoint } = (await this.query()).far;
        if (endpoint !== null && !isSame(endpoint, nowhere) && allowed.has(endpoint.address)) found = endpoint;
      }
      if (found !== null) this.#far = describe(found);
      await this.#negotiate();
    } finally {
      await this.request("unblock media");
    }
    const { far: after } = await this.query();
    const { packets, activity } = this.#unheard;
    this.#unheard = { packets: packets + after.packets - before.packets, activity: activity + after.activity - before.activity };
    return found;
  }

  /** Never rejects: rtpengine's time-out ends a call that cannot be deleted. */
  async delete(): Promise<void> {
    await this.request("delete", { "delete-delay": 0 }).catch(() => undefined);
  }

  async #negotiate(far = this.#far, flags: readonly string[] = FLAGS): Promise<string> {
    const tags = { "from-tag": this.#tag, "to-tag": FAR_TAG };
    const offer = await this.#describe("offer", {
      // The far end's tag does not exist before the first offer.
      ...(this.#rtp === null ? { "from-tag": this.#tag } : tags),
      ...(this.#noBrowser ? NO_BROWSER : { ...AS_RTP, direction: TO_CARRIER }),
      sdp: this.#noBrowser ? describePlaceholder().sdp : describeBrowser(this.#browserSdp, far.eventPayload),
      ...(far.needsAlaw ? { codec: { transcode: ["PCMA"] } } : {}),
    });
    this.#rtp = endpointIn(offer);
    const towardsBrowser = this.#noBrowser ? NO_BROWSER : { ...AS_WEBRTC, DTLS: "active", direction: TO_BROWSER };
    return await this.#describe("answer", { ...tags, ...towardsBrowser, sdp: far.sdp }, flags);
  }

  async #describe(command: "offer" | "answer", body: BencodedDictionary, flags: readonly string[] = FLAGS): Promise<string> {
    const all = this.#processes ? [...flags, ...PROCESSING] : flags;
    const { sdp } = await this.request(command, { ...body, flags: all, replace: REPLACE });
    if (typeof sdp !== "string") throw new MediaError("internal", "rtpengine's response has no SDP.");
    return sdp;
  }
}
