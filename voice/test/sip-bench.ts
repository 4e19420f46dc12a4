import { randomUUID } from "node:crypto";
import pino, { type Logger } from "pino";
import type { CallPrices } from "@farline/domain/rates/find-offers.ts";
import { Cleanups } from "@farline/sip/test/cleanups.ts";
import { createTrunks } from "../src/sip/create-trunks.ts";
import type { FarEnd, FarCall, TrunkConfig, Trunks, TrunksOptions } from "../src/sip/trunk.ts";
import type { Step } from "./scenarios/carrier-script.ts";
import { type Carrier, startCarrier } from "./sipp.ts";
import { LOOPBACK } from "./loopback.ts";

/** Our SDP. */
export const OFFER = [
  "v=0",
  "o=farline 1 1 IN IP4 127.0.0.1",
  "s=-",
  "c=IN IP4 127.0.0.1",
  "t=0 0",
  "m=audio 30000 RTP/AVP 0",
  "a=rtpmap:0 PCMU/8000",
  "a=sendrecv",
  "",
].join("\r\n");
/** The exchange's caller id. */
export const EXCHANGE_NUMBER = "+15550001111";
/** Our answer to a hold. */
export const HELD = OFFER.replace("a=sendrecv", "a=recvonly");

interface DialOptions {
  readonly sessionId?: string;
  readonly ringTimeoutMs?: number;
  readonly to?: string;
  readonly from?: string;
  readonly prices?: CallPrices;
  readonly renegotiate?: (sdp: string) => Promise<string>;
  readonly log?: Logger;
}

/** Trunks, carriers and sockets of a test. */
export class SipBench extends Cleanups {
  async carrier(steps: readonly Step[]): Promise<Carrier> {
    const started = await startCarrier(steps);
    this.add(() => started.stop());
    return started;
  }

  async trunks(config: TrunkConfig[], options: Partial<TrunksOptions> = {}): Promise<Trunks> {
    const log = pino({ level: "silent" });
    const trunks = await createTrunks(config, { address: LOOPBACK, port: 0, exchangeNumber: EXCHANGE_NUMBER, log, ...options });
    this.add(() => trunks.close());
    return trunks;
  }
}

export function trunkTo(port: number, more: Partial<TrunkConfig> = {}): TrunkConfig {
  return {
    name: `to-${port}`,
    host: "127.0.0.1",
    port,
    transport: "udp",
    numberFormat: "e164_plus",
    customerNumbers: "never",
    opus: false,
    sessionTimers: true,
    priority: 0,
    weight: 0,
    ...more,
  };
}

/** A silent address is noticed soon, but one that lives has time to respond on a busy machine. */
export const IMPATIENT = { firstResponseTimeoutMs: 1_000 };

/** Dials a call whose events can be awaited. */
export function dial(trunks: Trunks, options: DialOptions = {}) {
  const answered = Promise.withResolvers<string>();
  const shown = Promise.withResolvers<string>();
  const ended = Promise.withResolvers<FarEnd>();
  const rang = Promise.withResolvers<void>();
  const stored = Promise.withResolvers<string>();
  for (const { promise } of [answered, shown, rang, stored]) promise.catch(() => undefined);
  const heard: string[] = [];
  const dialogs: string[] = [];
  const call: FarCall = trunks.dial(
    {
      sessionId: options.sessionId ?? randomUUID(),
      to: options.to ?? "+447400123456",
      from: options.from ?? EXCHANGE_NUMBER,
      sdp: OFFER,
      codec: "g711",
      ringTimeoutMs: options.ringTimeoutMs ?? 20_000,
      displayName: "Ann",
      log: options.log ?? pino({ level: "silent" }),
      ...(options.prices === undefined ? {} : { prices: options.prices }),
    },
    {
      onDialog: (dialog) => {
        dialogs.push(dialog);
        stored.resolve(dialog);
      },
      onProgress: ({ status, sdp }) => {
        heard.push(`${status}${sdp === null ? "" : " sdp"}`);
        rang.resolve();
      },
      onAnswer: ({ sdp, from }) => {
        heard.push("answer");
        shown.resolve(from);
        answered.resolve(sdp);
      },
      onEnd: (end) => {
        heard.push("end");
        ended.resolve(end);
        const never = new Error(`The call ended before that: ${JSON.stringify(end)}`);
        for (const awaited of [answered, shown, rang, stored]) awaited.reject(never);
      },
      onRenegotiate: options.renegotiate ?? (() => Promise.reject(new Error("not expected"))),
    },
  );
  return {
    call,
    heard,
    dialogs,
    stored: stored.promise,
    shown: shown.promise,
    rang: rang.promise,
    answered: answered.promise,
    ended: ended.promise,
  };
}
