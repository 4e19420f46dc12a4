import { vi } from "vitest";
import { aPrice } from "./answers.ts";
import type { CallObstacle } from "../src/phone/call-obstacle.ts";
import type { PausedSound } from "../src/phone/device/paused-sound.ts";
import { callMarker } from "../src/phone/call/call-marker.ts";
import type { MicrophonePermission } from "../src/phone/device/microphone.ts";
import { Phone } from "../src/phone/phone.ts";
import { ScriptedMicrophone } from "./scripted-microphone.ts";
import { ScriptedService } from "./scripted-service.ts";
import { pass } from "./scripted-tab.ts";
import { isOver, type NewVoiceCall, type VoiceCall, type VoiceClient, type VoiceEvents } from "../src/phone/line/voice-client.ts";

/** For tests: the phone's external interfaces, driven by the test and recorded in order. */

/** A call object like the SDK's. `change` simulates the provider. */
export class ScriptedCall implements VoiceCall {
  readonly id: string;
  readonly client: ScriptedClient;
  state = "new";
  direction = "outbound";
  cause: string | null = null;
  causeCode: number | null = null;
  sipCode: number | null = null;
  recoveredCallId = "";
  telnyxIDs = {};
  /** Its connection, which the SDK opens with the call. */
  readonly connection = Object.assign(new EventTarget(), {
    connectionState: "new",
    getSenders: () => [{ replaceTrack: async (track: MediaStreamTrack | null) => void (this.track = track) }],
    getStats: async () => new Map([["in", { type: "inbound-rtp", kind: "audio", packetsReceived: this.packetsReceived() }]]),
  });
  /** The track that replaced that of `localStream`. */
  track: MediaStreamTrack | null = null;
  /** By default one more each time. */
  packetsReceived: () => number = () => ++this.#packets;
  #packets = 0;
  readonly peer = { instance: this.connection as unknown as RTCPeerConnection };
  options: { localStream?: MediaStream | null } = {};
  muted = false;
  digits = "";
  hangups = 0;
  /** A reconnect replaced this object by a newer one. */
  replaced = false;

  constructor(client: ScriptedClient, id: string) {
    this.client = client;
    this.id = id;
  }
  change(state: string, detail: { cause?: string; sipCode?: number } = {}): void {
    this.cause = detail.cause ?? this.cause;
    this.sipCode = detail.sipCode ?? this.sipCode;
    this.state = state;
    this.client.emit("telnyx.notification", { type: "callUpdate", call: this });
  }
  /** The line's own sound flows. */
  connectSound(): void {
    this.connection.connectionState = "connected";
    this.connection.dispatchEvent(new Event("connectionstatechange"));
  }
  /** Like the real SDK: without a socket the BYE is queued for ever and the call looks ended. */
  async hangup(): Promise<void> {
    this.hangups += 1;
    if (this.state === "hangup" || this.state === "destroy") return;
    this.client.log.push(`bye ${this.id}`);
    this.change("hangup", { cause: "USER_BUSY" });
    this.change("destroy");
    for (const track of this.options.localStream?.getTracks() ?? []) track.stop();
  }
  muteAudio(): void {
    this.muted = true;
  }
  unmuteAudio(): void {
    this.muted = false;
  }
  async hold(): Promise<boolean> {
    this.change("held");
    return true;
  }
  async unhold(): Promise<boolean> {
    this.change("active");
    return true;
  }
  message(_to: string, body: string): void {
    this.client.log.push(`says ${body}`);
  }
  dtmf(digit: string): void {
    this.digits += digit;
  }
}

type Listeners = { [E in keyof VoiceEvents]?: ((payload: VoiceEvents[E]) => void)[] };

export class ScriptedClient implements VoiceClient {
  readonly log: string[];
  readonly calls: ScriptedCall[] = [];
  readonly logins: string[] = [];
  /** Tickets sent with calls. */
  readonly tickets: string[] = [];
  readonly sessionid = crypto.randomUUID();
  connected = false;
  registered = false;
  /** False: packets are dropped, and queries get no answer. */
  answers = true;
  forgotten = false;
  /** Outcome of `connect`; tests replace it to simulate failures. */
  onConnect: (client: ScriptedClient) => void = (client) => queueMicrotask(() => client.ready());
  #listeners: Listeners = {};

  constructor(log: string[]) {
    this.log = log;
  }
  on<E extends keyof VoiceEvents>(event: E, listener: (payload: VoiceEvents[E]) => void): void {
    const known = (this.#listeners[event] ?? []) as ((payload: VoiceEvents[E]) => void)[];
    (this.#listeners as Record<E, ((payload: VoiceEvents[E]) => void)[]>)[event] = [...known, listener];
  }
  emit<E extends keyof VoiceEvents>(event: E, payload: VoiceEvents[E]): void {
    for (const listener of (this.#listeners[event] ?? []) as ((payload: VoiceEvents[E]) => void)[]) listener(payload);
  }
  async connect(): Promise<void> {
    this.log.push("connect");
    this.onConnect(this);
  }
  async disconnect(): Promise<void> {
    this.log.push("disconnect");
    this.connected = false;
    for (const call of this.liveCalls()) call.change("destroy");
  }
  /** The SDK closes the socket; it says so only when the browser has, seconds later. */
  socketDisconnect(): void {
    this.log.push("socketDisconnect");
    this.connected = false;
  }
  onNetworkClose({ code }: { code: number }): void {
    this.log.push(`onNetworkClose ${code}`);
  }
  liveCalls(): ScriptedCall[] {
    return this.calls.filter((call) => !call.replaced && call.state !== "hangup" && call.state !== "destroy");
  }
  async login(options: { creds: { login_token: string } }): Promise<void> {
    this.logins.push(options.creds.login_token);
  }
  async getIsRegistered(): Promise<boolean> {
    this.log.push("isRegistered");
    return this.answers ? this.registered : new Promise<boolean>(() => undefined);
  }
  clearReconnectToken(): void {
    this.forgotten = true;
  }
  newCall(options: NewVoiceCall): VoiceCall {
    this.log.push(`newCall ${options.destinationNumber} from ${options.callerNumber}`);
    this.tickets.push(atob(options.clientState));
    const call = new ScriptedCall(this, options.id);
    call.options.localStream = options.localStream;
    this.calls.push(call);
    call.change("new");
    call.change("requesting");
    return call;
  }
  ready(): void {
    this.connected = true;
    this.registered = true;
    this.emit("telnyx.ready", {});
  }
  lose(): void {
    this.connected = false;
    this.emit("telnyx.socket.close", {});
  }
  ring(call: ScriptedCall): void {
    this.emit("telnyx.socket.message", { method: "telnyx_rtc.ringing", params: { callID: call.id } });
  }
  /** Our exchange has parked the leg; another provider says `ring`. */
  park(call: ScriptedCall): void {
    this.emit("telnyx.socket.message", { method: "telnyx_rtc.ringing", params: { callID: call.id, far_end: "silent" } });
  }
  farRings(call: ScriptedCall): void {
    this.emit("telnyx.socket.message", { method: "telnyx_rtc.ringing", params: { callID: call.id, far_end: "ringing" } });
  }
  /** A reconnect gives the call a new object; the old one sends no more events. */
  revive(old: ScriptedCall, meanwhile: (call: ScriptedCall) => void = () => undefined): ScriptedCall {
    old.replaced = true;
    const call = new ScriptedCall(this, old.id);
    call.recoveredCallId = old.id;
    call.direction = "inbound";
    this.calls.push(call);
    call.change("recovering");
    // The SDK opens its own microphone for a call without one.
    if (!isOver(call) && !call.options.localStream) this.log.push(`own microphone ${call.id}`);
    meanwhile(call);
    if (!isOver(call)) call.change("active");
    return call;
  }
  /** The provider offers a running call to a reloaded page, which has no older object. `meanwhile` runs before there is sound. */
  offer(callId: string, meanwhile?: (call: ScriptedCall) => void): ScriptedCall {
    return this.revive(new ScriptedCall(this, callId), meanwhile);
  }
}

export interface Bench {
  phone: Phone;
  service: ScriptedService;
  clients: ScriptedClient[];
  /** The recorded events, in order. */
  log: string[];
  microphone: ScriptedMicrophone;
  /** Watches the far end's sound, once a call was dialled. */
  sound: PausedSound | null;
  /** The chosen speaker; null is the system's default. */
  speakers: (string | null)[];
  otherTabCalls: boolean;
  mayResume: boolean;
  /** Why no call can work in this browser. Set it before the page is checked. */
  obstacle: CallObstacle | null;
  /** Number of announcements to other tabs. */
  announced: number;
  /** The machine wakes, or the network is back. */
  wake(): void;
  /** The page is unloaded for good. */
  leave(): void;
  /** Another tab says that something about its call changed. */
  announce(): void;
  /** The newest client, and its newest call. */
  client(): ScriptedClient;
  call(): ScriptedCall;
}

/** A phone under test. `wire` may change a client before it connects; pass `service` to reuse that of an earlier page. */
export function createBench(
  wire: (client: ScriptedClient) => void = () => undefined,
  earlier: { service: ScriptedService } | null = null,
): Bench {
  const log: string[] = [];
  const service = earlier?.service ?? new ScriptedService(log);
  const clients: ScriptedClient[] = [];
  const microphone = new ScriptedMicrophone();
  const last = <T>(list: readonly T[]): T => {
    const item = list.at(-1);
    if (item === undefined) throw new Error("nothing was created yet");
    return item;
  };
  const listeners: Record<"wake" | "announced" | "leave", () => void> = {
    wake: () => undefined,
    announced: () => undefined,
    leave: () => undefined,
  };
  const bench: Bench = {
    service,
    clients,
    log,
    microphone,
    sound: null,
    speakers: [],
    otherTabCalls: false,
    mayResume: true,
    obstacle: null,
    announced: 0,
    wake: () => listeners.wake(),
    announce: () => listeners.announced(),
    leave: () => listeners.leave(),
    client: () => last(clients),
    call: () => last(last(clients).calls),
    phone: new Phone({
      service,
      createClient: async () => {
        const client = new ScriptedClient(log);
        wire(client);
        clients.push(client);
        return client;
      },
      openMicrophone: (deviceId) => {
        log.push("microphone");
        return microphone.openMicrophone(deviceId);
      },
      watchMicrophonePermission: microphone.watchPermission,
      createRemoteAudio: (paused) => ({
        element: {} as HTMLAudioElement,
        unlock: () => void (bench.sound = paused),
        ring: () => {
          log.push("ring");
          return () => log.push("ring stops");
        },
        silence: () => undefined,
        setSpeaker: async (id) => {
          bench.speakers.push(id);
          return true;
        },
      }),
      findObstacle: () => bench.obstacle,
      tabLock: {
        claim: async () => (bench.otherTabCalls ? null : () => undefined),
        isHeldElsewhere: async () => bench.otherTabCalls,
        announce: () => {
          bench.announced += 1;
        },
        onAnnounced: (listener) => (listeners.announced = listener),
      },
      mayResume: () => bench.mayResume,
      onWake: (listener) => (listeners.wake = listener),
      onLeave: (listener) => (listeners.leave = listener),
    }),
  };
  return bench;
}

export const ghana = { price: aPrice() };

/** Dials on a prepared phone and waits for `newCall`. */
export async function dialled(bench: Bench): Promise<void> {
  await bench.phone.prepare();
  bench.phone.dial(ghana);
  await vi.advanceTimersByTimeAsync(0);
}

/** Dials, rings and is answered. */
export async function connected(bench: Bench): Promise<void> {
  await dialled(bench);
  bench.client().ring(bench.call());
  bench.call().change("early");
  bench.call().change("active");
}

/** The SDK's id of the call that this tab was in. */
export const markedLine = (): string => callMarker.get()?.lineId ?? "none";

/**
 * A page in an answered call is reloaded: only the service's state and the tab's storage remain.
 * @param permission of the microphone, on the new page
 * @param inCall what is done on the old one
 */
export async function reloaded(permission: MicrophonePermission = "unknown", inCall?: (bench: Bench) => void): Promise<Bench> {
  const before = createBench();
  await connected(before);
  inCall?.(before);
  before.service.change("call-1", { status: "in-progress", answered_at: new Date().toISOString() });
  await pass(10_000);
  before.leave();
  await pass(2000);
  const after = createBench(undefined, { service: before.service });
  after.microphone.permit(permission);
  await after.phone.prepare();
  return after;
}
