import { setTimeout as pause } from "node:timers/promises";
import type { Language } from "@farline/contract/languages.ts";
import { type Announcement, MediaError } from "../media-plane.ts";
import { LocalDescription } from "../sdp/local-description.ts";
import { readTrunkSdp } from "../sdp/trunk-sdp.ts";
import { SILENCE_PCMU } from "../audio/g711.ts";
import { spokenCode } from "../audio/spoken-code.ts";
import type { EngineLeg } from "./engine.ts";
import type { NgCall } from "./ng-call.ts";
import { describeFar, FAR_TAG } from "./ng-sdp.ts";
import { wavOf } from "./wav.ts";

/** A datagram holds 64 kB, so longer audio is played in parts. */
const MAX_PART_BYTES = 48_000;
/** Parts are split in pauses of at least this length. */
const PAUSE_BYTES = 1_600;
const SAMPLES_PER_MS = 8;

/** A call without a browser: rtpengine plays audio to the far end. */
export class RtpengineAnnouncement implements Announcement, EngineLeg {
  readonly sdp: string;
  readonly #call: NgCall;
  readonly #local = new LocalDescription();
  readonly #over = new AbortController();

  private constructor(call: NgCall) {
    this.#call = call;
    this.sdp = this.#local.offer(call.rtp);
  }

  /** @throws MediaError `no_capacity`, `timeout` */
  static async open(call: NgCall): Promise<RtpengineAnnouncement> {
    await call.openWithoutBrowser();
    const announcement = new RtpengineAnnouncement(call);
    call.engine.legs.add(announcement);
    return announcement;
  }

  async connect(remoteSdp: string): Promise<{ sdp: string }> {
    this.#requireLive();
    const session = await readTrunkSdp(remoteSdp, this.#call.rtp.address);
    await this.#call.setFar(describeFar(session));
    return { sdp: this.#local.answer(this.#call.rtp, session) };
  }

  async readCode(code: string, language: Language): Promise<void> {
    for (const part of partsOf(spokenCode(code, language))) {
      this.#requireLive();
      await this.#call.request("play media", { "from-tag": FAR_TAG, blob: wavOf(part) });
      await pause(part.length / SAMPLES_PER_MS, undefined, { signal: this.#over.signal }).catch(() => undefined);
    }
    this.#requireLive();
  }

  release(): Promise<void> {
    return this.close();
  }

  async close(): Promise<void> {
    if (this.#over.signal.aborted) return;
    this.fail();
    await this.#call.delete();
  }

  /** Called when the instance is down. */
  fail(): void {
    this.#over.abort();
    this.#call.engine.legs.delete(this);
  }

  #requireLive(): void {
    if (this.#over.signal.aborted) throw new MediaError("no_such_leg", "The leg has ended.");
  }
}

/** Splits audio at pauses. */
function partsOf(audio: Buffer): Buffer[] {
  const silence = Buffer.alloc(PAUSE_BYTES, SILENCE_PCMU);
  const parts: Buffer[] = [];
  for (let from = 0; from < audio.length;) {
    const rest = audio.subarray(from);
    const found = rest.length <= MAX_PART_BYTES ? -1 : rest.subarray(0, MAX_PART_BYTES).lastIndexOf(silence);
    const length = rest.length <= MAX_PART_BYTES ? rest.length : found > 0 ? found + PAUSE_BYTES / 2 : MAX_PART_BYTES;
    parts.push(rest.subarray(0, length));
    from += length;
  }
  return parts;
}
