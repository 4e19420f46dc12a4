import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { BrowserPhone } from "@farline/voice/test/audio-ends.ts";
import { carrierScript, sdp } from "@farline/voice/test/carrier-script.ts";
import type { ExchangeProcess } from "@farline/voice/test/exchange-process.ts";
import type { SdkClient } from "@farline/voice/test/sdk-client.ts";
import { type Carrier, startScript } from "@farline/voice/test/sipp.ts";

const NUMBER = "+442079460000";
const CALLERS_SAMPLE = 0x2a;
const LOOK_EVERY_MS = 20;
const PATIENCE_MS = 20_000;
const TIME_LIMIT_SECS = 600;

/** SIPp as a carrier: it answers `calls` calls, sends the caller's sound back, and waits for a BYE in each. */
export function startEchoingCarrier(calls: number, seconds: number): Promise<Carrier> {
  const script = carrierScript([
    { recv: "INVITE" },
    { reply: "180 Ringing" },
    { reply: "200 OK", sdp: sdp(["m=audio [media_port] RTP/AVP 0", "a=rtpmap:0 PCMU/8000"]) },
    { recv: "ACK" },
    { recv: "BYE" },
    { reply: "200 OK" },
  ]);
  return startScript(script, { calls, timeoutSeconds: seconds, echo: true });
}

/** One call through an exchange, answered and heard. */
export class BenchCall {
  readonly callID: string;
  readonly controlId: string;
  readonly #client: SdkClient;
  readonly #phone: BrowserPhone;

  private constructor(client: SdkClient, phone: BrowserPhone, controlId: string, callID: string) {
    this.#client = client;
    this.#phone = phone;
    this.controlId = controlId;
    this.callID = callID;
  }

  /** Resolves when the caller has heard at least `packets` packets of his own sound come back. */
  static async make(exchange: ExchangeProcess, client: SdkClient, packets: number): Promise<BenchCall> {
    const phone = new BrowserPhone(CALLERS_SAMPLE);
    const callID = randomUUID();
    const of = (method: string) => (): boolean =>
      client.received.some((one) => one.method === `telnyx_rtc.${method}` && one.params?.["callID"] === callID);
    await client.invite(callID, await phone.offer());
    await until("ringing", of("ringing"));
    await until("media", of("media"));
    const param = (method: string, name: string): string =>
      String(
        client.received.find((one) => one.method === `telnyx_rtc.${method}` && one.params?.["callID"] === callID)?.params?.[name],
      );
    await phone.accept(param("media", "sdp"));
    const controlId = param("ringing", "telnyx_call_control_id");
    await exchange.telnyx.calls.actions.transfer(controlId, { to: NUMBER, time_limit_secs: TIME_LIMIT_SECS });
    await until("an answer", of("answer"));
    await until("sound", () => phone.heard.of(CALLERS_SAMPLE) >= packets);
    return new BenchCall(client, phone, controlId, callID);
  }

  /** Whether the exchange has ended it. */
  get cut(): boolean {
    return this.#client.received.some((one) => one.method === "telnyx_rtc.bye" && one.params?.["callID"] === this.callID);
  }

  async hangUp(): Promise<void> {
    await this.#client.bye(this.callID);
    await this.#phone.close();
  }
}

/** @throws Error when it did not become true in 20 seconds */
export async function until(what: string, condition: () => boolean | Promise<boolean>, patienceMs = PATIENCE_MS): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`There was no ${what} in ${patienceMs / 1_000} seconds.`);
    await pause(LOOK_EVERY_MS);
  }
}
