import type { Call } from "../../src/calls/call.ts";
import { CallerIds } from "../../src/calls/caller-ids.ts";
import { type Calls, createCalls } from "../../src/calls/calls.ts";
import type { CallEvent } from "../../src/calls/call-leg.ts";
import { readTrunkSdp } from "../../src/media/sdp/trunk-sdp.ts";
import type { TrunkConfig } from "../../src/sip/trunk.ts";
import { EXCHANGE_NUMBER, OFFER, SipBench, trunkTo } from "../sip-bench.ts";
import { parkRequest, RecordingLine, ScriptedMedia, silentLog } from "../scripted-ports.ts";
import { startScript } from "../sipp.ts";

const CARRIER_LIMIT_SECONDS = 120;

/** Media without audio that parses SDP like the real one. */
class ReadingMedia extends ScriptedMedia {
  override async openRtp(): Promise<{ sdp: string }> {
    return { sdp: OFFER };
  }
  /** Port, codec and direction of the far end's sound. */
  sound = "";

  override async connectRtp(remoteSdp: string): Promise<{ sdp: string }> {
    const { rtp, codec, direction } = await readTrunkSdp(remoteSdp, "127.0.0.1");
    this.sound = `${rtp?.port ?? "held"} ${codec} ${direction}`;
    if (direction === "inactive") return { sdp: OFFER.replace("a=sendrecv", "a=inactive") };
    return { sdp: direction === "sendonly" ? OFFER.replace("a=sendrecv", "a=recvonly") : OFFER };
  }
}

/** A call over a trunk to a scripted carrier, and its reported end. */
export class CarrierCall {
  /** Cause, source and SIP status of the far leg's end, after "answered" if it was. */
  readonly reported: Promise<string>;
  readonly carrierDone: Promise<void>;
  readonly #bench: SipBench;
  readonly #calls: Calls;
  readonly #media = new ReadingMedia();
  readonly #call: Call;
  readonly #moments = { ringing: Promise.withResolvers<void>(), answered: Promise.withResolvers<void>() };

  static async start(script: string, trunk: Partial<TrunkConfig> = {}): Promise<CarrierCall> {
    const bench = new SipBench();
    const carrier = await startScript(script, {
      transport: trunk.transport === "tcp" ? "tcp" : "udp",
      timeoutSeconds: CARRIER_LIMIT_SECONDS,
    });
    bench.add(() => carrier.stop());
    const network = await bench.trunks([trunkTo(carrier.port, trunk)]);
    return new CarrierCall(bench, network, carrier.done);
  }

  private constructor(bench: SipBench, network: Parameters<typeof createCalls>[0]["network"], carrierDone: Promise<void>) {
    this.#bench = bench;
    this.carrierDone = carrierDone;
    const reported = Promise.withResolvers<string>();
    this.reported = reported.promise;
    let answered = "";
    const media = this.#media;
    media.onRing = () => this.#moments.ringing.resolve();
    this.#calls = createCalls({
      node: "a",
      media: { openLeg: async () => media, openAnnouncement: () => Promise.reject(new Error("not expected")) },
      network,
      callerIds: new CallerIds(EXCHANGE_NUMBER, [new Uint8Array(32)]),
      log: silentLog,
      maxCallsPerAccount: 1,
      maxCalls: 1,
      emit: ({ type, leg }: CallEvent) => {
        if (leg.side !== "far") return;
        if (type === "call.answered") {
          answered = "answered ";
          this.#moments.answered.resolve();
        }
        if (type === "call.hangup") reported.resolve(`${answered}${leg.end?.cause} ${leg.end?.source} ${leg.end?.sipStatus}`);
      },
    });
    this.#call = this.#calls.park(parkRequest(new RecordingLine(), { to: "+447400123456", from: EXCHANGE_NUMBER }));
    this.#call.transfer({ to: "+447400123456", timeLimitSecs: 600, ringTimeoutSecs: 30, earlyMedia: true, headers: {} });
  }

  /** Port, codec and direction of the far end's sound; empty before there is any. */
  get sound(): string {
    return this.#media.sound;
  }

  async hangUpWhen(moment: "ringing" | "answered"): Promise<void> {
    await this.#moments[moment].promise;
    this.#call.callerHungUp();
  }

  async end(): Promise<void> {
    await this.#calls.stop(2_000);
    await this.#bench.end();
  }
}
