import { randomUUID } from "node:crypto";
import { setTimeout as setTimeoutAsync } from "node:timers/promises";
import type { MediaPlane } from "../../src/media/media-plane.ts";
import { createTrunks } from "../../src/sip/create-trunks.ts";
import type { TrunkConfig, Trunks, TrunksOptions } from "../../src/sip/trunk.ts";
import { BrowserPhone } from "../audio-ends.ts";
import { LOOPBACK } from "../loopback.ts";
import type { SdkClient } from "../sdk-client.ts";
import { silentLog } from "../scripted-ports.ts";
import { trunkTo } from "../sip-bench.ts";
import { testExchange, type TestExchange } from "../test-exchange.ts";
import { clearestShare, loudness, share, toneFrames } from "../tone.ts";

export const PHONE_NUMBER = "+442079460000";
/** The tone that the caller sends. */
export const CALLER_HERTZ = 700;
const WINDOW_MS = 250;
/** Of the energy, for each of two tones. */
const CHORD_PART = 0.3;

/** A browser's media. */
interface CallingBrowser {
  offer(): Promise<string>;
  accept(answerSdp: string): Promise<void>;
  close(): Promise<void>;
}

interface CalledPhone {
  readonly port: number;
  stop(): Promise<unknown>;
}

interface PhoneCallOptions {
  readonly media: MediaPlane;
  readonly tls?: Parameters<typeof createTrunks>[1]["tls"];
  /** Default: `PhoneCall.browser`, which sends a tone in PCMU. */
  readonly browser?: CallingBrowser | null;
  readonly dns?: TrunksOptions["dns"];
  /** Before the call is dialled. */
  readonly prepare?: (trunks: Trunks) => Promise<unknown>;
}

/** A call from a browser, through an exchange with real media and a trunk, to a phone. */
export class PhoneCall {
  readonly exchange: TestExchange;
  readonly browser = new BrowserPhone(toneFrames(CALLER_HERTZ, 1));
  readonly callId = randomUUID();
  readonly #client: SdkClient;
  readonly #ends: (() => unknown)[];

  static async to(
    phone: CalledPhone,
    trunk: Partial<TrunkConfig>,
    { media, tls = null, browser = null, dns, prepare }: PhoneCallOptions,
  ): Promise<PhoneCall> {
    const address = { address: LOOPBACK, port: 0, tls, exchangeNumber: "+12025550143" };
    const trunks = await createTrunks([trunkTo(phone.port, trunk)], { ...address, log: silentLog, ...(dns ? { dns } : {}) });
    await prepare?.(trunks);
    const exchange = await testExchange({ media, network: trunks });
    const client = await exchange.browser();
    const call = new PhoneCall(exchange, client, [
      () => exchange.close(),
      () => trunks.close(),
      () => phone.stop(),
      () => browser?.close(),
    ]);
    const caller = browser ?? call.browser;
    await client.invite(call.callId, await caller.offer());
    const { payload } = await exchange.webhooks.next("call.initiated");
    await caller.accept(String((await client.next("media")).params?.["sdp"]));
    const controlId = String(payload["call_control_id"]);
    await exchange.telnyx.calls.actions.transfer(controlId, { to: PHONE_NUMBER, time_limit_secs: 60 });
    return call;
  }

  private constructor(exchange: TestExchange, client: SdkClient, ends: (() => unknown)[]) {
    this.exchange = exchange;
    this.#client = client;
    this.#ends = ends;
  }

  /** Resolves when the caller's page is told that the phone answered. */
  async answered(): Promise<void> {
    await this.#client.next("answer");
  }

  /** The caller presses keys. */
  async sendDigits(digits: string): Promise<void> {
    const { payload } = await this.exchange.webhooks.next("call.answered", ({ payload: { to } }) => to === PHONE_NUMBER);
    await this.exchange.telnyx.calls.actions.sendDtmf(String(payload["call_control_id"]), { digits });
  }

  hangUp(): Promise<unknown> {
    return this.#client.bye(this.callId);
  }

  /** How much of the clearest part of the last second that the caller heard is a tone, 0 to 1. */
  heard(hertz: number): number {
    return clearestShare(this.browser.heard.lastSecond, hertz);
  }

  /** Whether the caller heard these tones together for 20 ms of the last second. */
  heardChord(hertz: readonly number[]): boolean {
    return this.browser.heard.lastFrames.some((frame) => hertz.every((one) => share(frame, one) > CHORD_PART));
  }

  /** The loudness of what the caller hears in a quarter of a second from now. */
  async loudnessNow(): Promise<number> {
    this.browser.heard.clear();
    await setTimeoutAsync(WINDOW_MS);
    return loudness(this.browser.heard.lastSecond);
  }

  /** The report of the far leg's end. */
  async end(): Promise<Record<string, unknown>> {
    return (await this.exchange.webhooks.next("call.hangup", ({ payload }) => payload["to"] === PHONE_NUMBER)).payload;
  }

  async close(): Promise<void> {
    await this.browser.close();
    for (const end of this.#ends) await end();
  }
}
