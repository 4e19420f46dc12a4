import { randomUUID } from "node:crypto";
import { until } from "@farline/drills/support/readiness.ts";
import { BrowserPhone } from "@farline/voice/test/audio-ends.ts";
import { sdp } from "@farline/voice/test/scenarios/carrier-script.ts";
import { ack, answer, invite, ourBye, ring } from "@farline/voice/test/scenarios/scenario.ts";
import type { ExchangeProcess } from "@farline/voice/test/exchange-process.ts";
import type { Message, SdkClient } from "@farline/voice/test/sdk-client.ts";
import { type Carrier, startCarrier } from "@farline/voice/test/sipp.ts";

const NUMBER = "+442079460000";
const CALLERS_SAMPLE = 0x2a;
const TIME_LIMIT_SECS = 600;

/** SIPp as a carrier: it answers `calls` calls, sends the caller's audio back, and waits for a BYE in each. */
export function startEchoingCarrier(calls: number, seconds: number): Promise<Carrier> {
  const steps = [
    invite,
    ring,
    { ...answer, sdp: sdp(["m=audio [media_port] RTP/AVP 0", "a=rtpmap:0 PCMU/8000"]) },
    ack,
    ...ourBye,
  ];
  return startCarrier(steps, { calls, timeoutSeconds: seconds, echo: true });
}

/** One answered call with audio through an exchange. */
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

  /** Resolves when the caller has received at least `packets` packets of its own audio back. */
  static async make(exchange: ExchangeProcess, client: SdkClient, packets: number): Promise<BenchCall> {
    const phone = new BrowserPhone(CALLERS_SAMPLE);
    const callID = randomUUID();
    const received = (method: string): Message | undefined =>
      client.received.find((one) => one.method === `telnyx_rtc.${method}` && one.params?.["callID"] === callID);
    /** Throws at once when the exchange ends the call instead, with its reason. */
    const message = async (method: string): Promise<Message> => {
      await until(method, () => received(method) !== undefined || received("bye") !== undefined);
      const found = received(method);
      if (found === undefined) throw new Error(`The exchange ended the call: ${JSON.stringify(received("bye")?.params)}`);
      return found;
    };
    await client.invite(callID, await phone.offer());
    const { params: ringing } = await message("ringing");
    const { params: media } = await message("media");
    await phone.accept(String(media?.["sdp"]));
    const controlId = String(ringing?.["telnyx_call_control_id"]);
    await exchange.telnyx.calls.actions.transfer(controlId, { to: NUMBER, time_limit_secs: TIME_LIMIT_SECS });
    await message("answer");
    await until("audio", () => phone.heard.of(CALLERS_SAMPLE) >= packets);
    return new BenchCall(client, phone, controlId, callID);
  }

  /** Whether the exchange has ended the call. */
  get cut(): boolean {
    return this.#client.received.some((one) => one.method === "telnyx_rtc.bye" && one.params?.["callID"] === this.callID);
  }

  async hangUp(): Promise<void> {
    await this.#client.bye(this.callID);
    await this.#phone.close();
  }
}
