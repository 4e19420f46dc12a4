import type { Address } from "../address.ts";
import type { MediaProcessSettings } from "./media-messages.ts";
import { MediaError } from "./media-plane.ts";
import { RTP_HEADER_BYTES, writeRtpHeader } from "./rtp/rtp-header.ts";
import { RtpSockets } from "./rtp/rtp-sockets.ts";
import { SendTimeline } from "./rtp/send-timeline.ts";
import type { Endpoint } from "./rtp/source-latch.ts";
import { LocalDescription } from "./sdp/local-description.ts";
import { readTrunkSdp, type TrunkSession } from "./sdp/trunk-sdp.ts";
import type { FrameClock } from "./audio/frame-clock.ts";
import { FRAME_SAMPLES, SILENCE_PCMU, ulawToAlaw } from "./audio/g711.ts";

/** The media of a call without a browser: plays audio to the far end and ignores what it sends. */
export class AnnouncementLeg {
  readonly #sockets: RtpSockets;
  readonly #address: Address;
  readonly #clock: FrameClock;
  readonly #timeline = new SendTimeline();
  readonly #local = new LocalDescription();
  #trunk: TrunkSession | null = null;
  #stopPlaying: ((error?: MediaError) => void) | null = null;

  private constructor(sockets: RtpSockets, address: Address, clock: FrameClock) {
    this.#sockets = sockets;
    this.#address = address;
    this.#clock = clock;
  }

  /** @throws MediaError `no_capacity` */
  static async open(
    settings: Pick<MediaProcessSettings, "rtpAddress" | "rtpPorts">,
    clock: FrameClock,
  ): Promise<AnnouncementLeg> {
    const ignored = (): void => undefined;
    const events = { rtp: ignored, rtcp: ignored, refused: ignored };
    const sockets = await RtpSockets.open(settings.rtpAddress.bound, settings.rtpPorts, events);
    return new AnnouncementLeg(sockets, settings.rtpAddress, clock);
  }

  get offerSdp(): string {
    return this.#local.offer(this.#endpoint);
  }

  /** Takes the far end's SDP, first or changed. @returns our SDP. @throws MediaError `bad_sdp` */
  async connect(remoteSdp: string, trunkAddresses: readonly string[]): Promise<string> {
    const session = await readTrunkSdp(remoteSdp, this.#address.bound);
    if (session.rtp !== null && session.rtcp !== null) this.#sockets.connect(session.rtp, session.rtcp, trunkAddresses);
    this.#trunk = session;
    return this.#local.answer(this.#endpoint, session);
  }

  /** Plays audio once. Resolves when it is played; rejects with `no_such_leg` if the leg closes first. @param audio PCMU */
  play(audio: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      let at = 0;
      const stopClock = this.#clock.every((nowMs) => {
        this.#send(audio.subarray(at, at + FRAME_SAMPLES), nowMs);
        at += FRAME_SAMPLES;
        if (at >= audio.length) this.#stopPlaying?.();
      });
      this.#stopPlaying = (error) => {
        stopClock();
        this.#stopPlaying = null;
        if (error === undefined) resolve();
        else reject(error);
      };
    });
  }

  close(): void {
    this.#stopPlaying?.(new MediaError("no_such_leg", "The leg has ended."));
    this.#sockets.close();
  }

  #send(audio: Buffer, nowMs: number): void {
    const trunk = this.#trunk;
    if (trunk === null || trunk.direction === "sendonly" || trunk.direction === "inactive") return;
    const packet = Buffer.alloc(RTP_HEADER_BYTES + FRAME_SAMPLES, SILENCE_PCMU);
    audio.copy(packet, RTP_HEADER_BYTES);
    if (trunk.codec === "PCMA") ulawToAlaw(packet.subarray(RTP_HEADER_BYTES));
    const position = this.#timeline.continue(nowMs);
    writeRtpHeader(packet, { ...position, payloadType: trunk.payloadType, ssrc: this.#timeline.ssrc });
    this.#sockets.send(packet);
  }

  get #endpoint(): Endpoint {
    return { address: this.#address.announced, port: this.#sockets.port };
  }
}
