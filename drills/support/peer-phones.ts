import { setTimeout as pause } from "node:timers/promises";
import { readPem } from "@farline/sip/test/tls/pem.ts";
import { Baresip } from "@farline/voice/test/phones/baresip.ts";
import { Linphone } from "@farline/voice/test/phones/linphone.ts";
import { CALLER_HERTZ, PhoneCall } from "@farline/voice/test/phones/phone-call.ts";
import { Kamailio } from "@farline/voice/test/proxies/kamailio.ts";
import { PCMU, sdp, type Step } from "@farline/voice/test/scenarios/carrier-script.ts";
import { startCarrier } from "@farline/voice/test/sipp.ts";
import { clearestShare, toneFrames } from "@farline/voice/test/tone.ts";
import { until } from "./readiness.ts";

type MediaPlane = Parameters<typeof PhoneCall.to>[2]["media"];

export type Transport = "udp" | "tcp" | "tls";
/** How calls reach the phone: straight, or through Kamailio, which stays on the call's route or leaves it. */
export type Route = "straight" | "on its route" | "off its route";

/** Of the energy. */
const CLEAR = 0.9;
const PHONE_HERTZ = 440;
const PHONE_SECONDS = 60;
/** A key's two tones, ITU-T Q.23. */
export const FIVE_HERTZ = [770, 1_336] as const;

/** What a called person can do. */
interface PeerPhone {
  readonly digits: string;
  untilRinging(): Promise<void>;
  hangUp(): Promise<unknown>;
  /** Music plays to a caller whom it holds. */
  readonly hasMusic: boolean;
  hold(): Promise<unknown>;
  resume(): Promise<unknown>;
  /** Presses the key 5. */
  pressFive(): Promise<unknown>;
  /** It hangs up when its REFER is refused. */
  readonly leavesIfRefused: boolean;
  /** Asks the caller to call somebody else (REFER). */
  refer(): Promise<unknown>;
  /** Whether both sides hear each other. */
  isHeard(call: PhoneCall): Promise<boolean>;
}

export interface PeerCall {
  readonly call: PhoneCall;
  readonly phone: PeerPhone;
}

export interface Peer {
  readonly name: string;
  /** Calls it. */
  call(answer: "auto" | "manual"): Promise<PeerCall>;
}

export function baresip(media: MediaPlane, transport: Transport, route: Route): Peer {
  return {
    name: `baresip, ${transport}${route === "straight" ? "" : `, Kamailio ${route}`}`,
    async call(answer) {
      const identity = (await Promise.all(["carrier.key", "carrier.pem"].map(readPem))).join("\n");
      const phone = await Baresip.start({ answer, identity, sound: toneFrames(PHONE_HERTZ, PHONE_SECONDS) });
      const call = await throughProxy({ media, transport, route }, { port: phone.port, stop: () => phone.stop() });
      return { call, phone: keysOfBaresip(phone) };
    },
  };
}

export function linphone(media: MediaPlane, transport: "udp" | "tcp"): Peer {
  return {
    name: `linphone, ${transport}`,
    async call(answer) {
      const sound = toneFrames(PHONE_HERTZ, PHONE_SECONDS);
      const phone = await Linphone.start(sound, { answers: answer === "auto", transport });
      return { call: await PhoneCall.to(phone, { transport }, { media }), phone: keysOfLinphone(phone) };
    },
  };
}

/** A call to SIPp, which echoes. Rejects unless the carrier saw what its script says, and the call ended as it should. */
export async function playToSipp(
  steps: readonly Step[],
  at: { readonly media: MediaPlane; readonly transport: "udp" | "tcp"; readonly route: Route },
): Promise<void> {
  const headers = ["[last_Record-Route:]"];
  const answer: Step = { reply: "200 OK", headers, sdp: sdp(["m=audio [media_port] RTP/AVP 0 101", ...PCMU.slice(1)]) };
  // Kamailio goes on by UDP.
  const options = { echo: true, transport: at.route === "straight" ? at.transport : "udp" } as const;
  const carrier = await startCarrier([{ recv: "INVITE" }, answer, { recv: "ACK" }, ...steps], options);
  const call = await throughProxy(at, carrier);
  try {
    await call.answered();
    await until("sound from SIPp", () => call.heard(CALLER_HERTZ) > CLEAR);
    if (steps.includes(AWAITS_BYE)) {
      // The script is at its end, and its last description lets both be heard.
      await pause(steps.reduce((sum, step) => sum + ("pauseMs" in step ? step.pauseMs : 0), SCRIPT_MS));
      call.browser.heard.clear();
      await until("sound from SIPp after it", () => call.heard(CALLER_HERTZ) > CLEAR);
      await call.hangUp();
    }
    await call.end();
    await carrier.done;
  } finally {
    await call.close();
  }
}

const AWAITS_BYE: Step = { recv: "BYE" };
export const OUR_BYE: readonly Step[] = [AWAITS_BYE, { reply: "200 OK" }];
/** What SIPp's messages take, beside its pauses. */
const SCRIPT_MS = 1_000;

interface CalledPhone {
  readonly port: number;
  stop(): Promise<unknown>;
}

async function throughProxy(
  { media, transport, route }: { media: MediaPlane; transport: Transport; route: Route },
  phone: CalledPhone,
): Promise<PhoneCall> {
  const [ca, cert, key] = await Promise.all(["ca.pem", "exchange.pem", "exchange.key"].map(readPem));
  if (cert === undefined || key === undefined) throw new Error("The certificates are not here.");
  const proxy =
    route === "straight"
      ? null
      : await Kamailio.startWithDigest("SHA-256", transport, phone.port, route === "on its route" ? [] : ["OFF_ROUTE"]);
  const port = proxy?.port ?? phone.port;
  return PhoneCall.to(
    // Both listen for TLS on the next port.
    { port: transport === "tls" ? port + 1 : port, stop: () => Promise.all([proxy?.stop(), phone.stop()]) },
    { transport, host: "localhost", tls: { ca }, username: "farline", password: "secret" },
    { media, tls: { port: 0, cert, key } },
  );
}

function keysOfBaresip(phone: Baresip): PeerPhone {
  return {
    get digits() {
      return phone.digits;
    },
    hasMusic: false,
    leavesIfRefused: true,
    untilRinging: () => phone.untilRinging(),
    hangUp: () => phone.press("hangup"),
    hold: () => phone.press("hold"),
    resume: () => phone.press("resume"),
    pressFive: () => phone.press("sndcode", "5"),
    refer: () => phone.press("transfer", "sip:+442079460999@127.0.0.1"),
    isHeard: async (call) =>
      call.heard(PHONE_HERTZ) > CLEAR && clearestShare(await phone.lastSecond("g711"), CALLER_HERTZ) > CLEAR,
  };
}

function keysOfLinphone(phone: Linphone): PeerPhone {
  const type = async (command: string): Promise<void> => phone.type(command);
  return {
    get digits() {
      return phone.digits;
    },
    hasMusic: true,
    leavesIfRefused: false,
    untilRinging: () => phone.untilRinging(),
    hangUp: () => type("terminate"),
    hold: () => type("pause"),
    resume: () => type("resume"),
    pressFive: () => type("5"),
    refer: () => type("transfer sip:+442079460999@127.0.0.1"),
    isHeard: async (call) => call.heard(PHONE_HERTZ) > CLEAR && clearestShare(await phone.lastSecond(), CALLER_HERTZ) > CLEAR,
  };
}

/** Two registrars behind one name; calls are taken by the one that we are registered with. */
export async function callAfterRegistrarDied(media: MediaPlane): Promise<void> {
  const phone = await Baresip.start();
  const proxies = await Promise.all([1, 2].map(() => Kamailio.startWithDigest("SHA-256", "udp", phone.port, ["REGISTRAR"])));
  const [first, second] = proxies;
  if (first === undefined || second === undefined) throw new Error("Kamailio is not here.");
  const records = proxies.map(({ port }, priority) => ({ name: "127.0.0.1", port, priority, weight: 0 }));
  const account = { host: "localhost", registrar: { host: "localhost", port: null }, username: "farline", password: "secret" };
  const call = await PhoneCall.to(
    { port: first.port, stop: () => Promise.all([...proxies.map((proxy) => proxy.stop()), phone.stop()]) },
    { ...account, port: null, optionsPing: true },
    {
      media,
      dns: { srv: async () => records, addresses: async () => ["127.0.0.1"] },
      async prepare(trunks) {
        const isRegistered = () => trunks.states()[0]?.registration === "registered";
        await until("registration", isRegistered);
        await first.stop();
      },
    },
  );
  try {
    await call.answered();
    await until("sound through the other registrar", () => call.heard(CALLER_HERTZ) > CLEAR);
    await phone.press("hangup");
    await call.end();
  } finally {
    await call.close();
  }
}
